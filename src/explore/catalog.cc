// The table of explorers. A new one is a pair of files and a line here.
#include "base/catalog.h"

#include "explore/igw.h"
#include "explore/options.h"
#include "explore/simple.h"
#include "explore/square.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<Explorer>> (*)(const Spec&);

constexpr TableRow<Make> kTable[] = {
    {{"igw", "inverse gap weighting with the exact normaliser"}, Igw::make},
    {{"square", "SquareCB's 1 / (mu + gamma gap), the rest on the best", options::kSquare},
     Square::make},
    {{"greedy", "the largest score; ties share"}, Greedy::make},
    {{"epsilon", "uniform with probability epsilon, else greedy", options::kEpsilonExplorer},
     Epsilon::make},
    {{"softmax", "proportional to exp(gamma score)"}, Softmax::make},
    {{"uniform", "every action alike"}, Uniform::make},
};

}  // namespace

std::vector<Entry> explorers() { return entries_of(kTable); }

Result<std::unique_ptr<Explorer>> make_explorer(const Spec& spec) {
  return make_from(kTable, "explorer spec", spec);
}

}  // namespace rein
