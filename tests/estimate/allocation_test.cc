// predict() and learn() allocate nothing: this program counts every operator new.
#include <gtest/gtest.h>

#include "allocations.h"
#include "estimate/play.h"
#include "estimate/variants.h"

namespace rein {
namespace {

TEST(OracleMemory, PredictAndLearnAllocateNothingForAnyNumberOfActions) {
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(variant.name);
    const Shape& shape = variant.shape;
    auto oracle = oracle_of(variant.spec, shape);
    Rounds rounds(shape, variant.sparse, 5);
    std::vector<OwnedRound> played;
    std::vector<std::vector<double>> outcomes;
    for (int t = 0; t < 40; ++t) {
      played.push_back(rounds.next(t % 2 == 1));  // the first has all actions
      outcomes.push_back(rounds.outcomes());
    }
    Scratch scratch;
    scratch.reset(oracle->scratch());
    Estimates estimates;
    estimates.prepare(shape.heads(), shape.actions);

    const long before = allocations;
    for (std::size_t t = 0; t < played.size(); ++t) {
      const Round round = played[t].view();
      scratch.reset(oracle->scratch());
      estimates.prepare(shape.heads(), shape.actions);
      estimates.set_actions(round.actions);
      oracle->predict(round, scratch, estimates);
      oracle->learn(round, static_cast<int>(t) % round.actions, outcomes[t]);
    }
    EXPECT_EQ(allocations, before);
  }
}

}  // namespace
}  // namespace rein
