// The table of oracles. A new one is a pair of files and a line here.
#include "base/catalog.h"

#include <fmt/format.h>

#include "base/memory.h"
#include "estimate/adagrad.h"
#include "estimate/finite.h"
#include "estimate/forest.h"
#include "estimate/kernel.h"
#include "estimate/mlp.h"
#include "estimate/ons.h"
#include "estimate/optimistic.h"
#include "estimate/options.h"
#include "estimate/own.h"
#include "estimate/pair.h"
#include "estimate/race.h"
#include "estimate/stack.h"
#include "estimate/truth.h"
#include "estimate/vaw.h"
#include "rein/catalog.h"
#include "rein/oracle.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<Oracle>> (*)(const Spec&, const Shape&, const Own&);

constexpr TableRow<Make> kTable[] = {
    {{"vaw", "Vovk-Azoury-Warmuth ridge regression; means linear in the features; has widths",
      options::kVaw},
     without_own<Vaw::make>},
    {{"ridge", "plain ridge regression, for confidence bounds; has widths", options::kRidge},
     without_own<Vaw::make_ridge>},
    {{"ons", "online Newton step on the clipped square loss; a matrix for every head",
      options::kOns},
     without_own<Ons::make>},
    {{"adagrad", "first-order linear regression, for many or sparse features", options::kAdagrad},
     without_own<Adagrad::make>},
    {{"kernel", "vaw on curves: random Fourier features or a growing dictionary; has widths",
      options::kKernel},
     without_own<Kernel::make>},
    {{"finite", "exponential weights over the shape's list of functions"},
     without_own<Finite::make>},
    {{"truth", "the world's true means; learns nothing; for experiments"},
     without_own<Truth::make>},
    {{"forest", "online regression trees on what a linear oracle leaves over; has widths",
      options::kForest},
     Forest::make},
    {{"mlp", "a small neural network trained by online gradient descent", options::kMlp},
     without_own<Mlp::make>},
    {{"optimistic", "another oracle with its uncertainty added to the reward",
      options::kOptimistic},
     Optimistic::make},
    {{"pair", "one oracle for the reward and another for the costs", options::kPair},
     OraclePair::make},
    {{"auto", "linear until curves predict better, raced online; 1.1 to 1.8 times the time of vaw; has widths",
      options::kAuto},
     Race::make},
    {{"stack", "exponential weights over other oracles; hedges a wrong function class",
      options::kStack},
     Stack::make},
};

}  // namespace

std::vector<Entry> oracles() { return entries_of(kTable); }

Result<std::unique_ptr<Oracle>> make_oracle(const Spec& spec, const Shape& shape, const Own& own) {
  if (spec.name == "own") return BroughtOracle::make(spec, shape, own);  // not ours to list
  try {
    return make_from(kTable, "oracle spec", spec, shape, own);
  } catch (const std::bad_alloc& thrown) {
    throw out_of_memory(thrown,
                        fmt::format("oracle {} for {} actions, {} features and a context of {}",
                                    spec.str(), shape.actions, shape.features, shape.context),
                        "fewer actions or features, features=joint in place of per_action, or the "
                        "oracle adagrad, which keeps no matrix");
  }
}

}  // namespace rein
