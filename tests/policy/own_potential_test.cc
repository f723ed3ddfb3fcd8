// A potential of the caller's own inside ccb: passed as an argument, to a policy, through a stop,
// and refused where nobody uses it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "policy/play.h"
#include "square_potential.h"

namespace rein {
namespace {

const Shape kOwnPotentialShape{.actions = 3, .context = 2, .costs = {{"risk", {}}}, .rounds = 200};
const char* const kMine = "ccb(pricer=own(name=square),tuning=theory,u=2)";

TEST(OwnPotential, DecidesAsTheQuadraticOneItIs) {
  const auto mine = make_policy(kMine, kOwnPotentialShape, square(3.0, "square")).value();
  const auto ours =
      make_policy("ccb(pricer=quadratic(v=3),tuning=theory,u=2)", kOwnPotentialShape).value();
  Rng mine_rng(1), ours_rng(1);
  Scratch scratch(*mine);
  Decision a(*mine), b(*ours);
  for (int t = 0; t < 200; ++t) {
    const OwnedRound round = round_of(kOwnPotentialShape, t);
    mine->decide(round.view(), mine_rng, scratch, a).check();
    ours->decide(round.view(), ours_rng, scratch, b).check();
    ASSERT_EQ(copy(a.probabilities()), copy(b.probabilities()));
    ASSERT_EQ(a.prices, b.prices);
    const Outcome outcome = outcome_of(kOwnPotentialShape, round.view(), a.action, t);
    mine->learn(round.view(), a, outcome).check();
    ours->learn(round.view(), b, outcome).check();
  }
  EXPECT_GT(a.prices[0], 0.0);
  EXPECT_FALSE(mine->state().theorem.has_value());  // no bound is known
}

TEST(OwnPotential, GoesThroughAStopAndStaysAsLongAsThePolicy) {
  std::weak_ptr<const OwnPotential> alive;
  std::unique_ptr<Policy> policy;
  {
    const Own own = square(3.0, "square");
    alive = own.potentials.at("square");
    const std::string spec = fmt::format("stop(at=50,null=0,of={})", kMine);
    policy = make_policy(spec, kOwnPotentialShape, own).value();
  }
  EXPECT_FALSE(alive.expired());
  policy.reset();
  EXPECT_TRUE(alive.expired());
}

TEST(OwnPotential, IsRefusedWhereTheSpecDoesNotUseIt) {
  for (const char* spec : {"ccb", "squarecb", "ccb(oracle=vaw,pricer=quadratic,tuning=theory)"}) {
    const auto made = make_policy(spec, kOwnPotentialShape, square(3.0, "square"));
    ASSERT_FALSE(made.ok()) << spec;
    EXPECT_NE(made.error().find("does not use it"), std::string::npos) << made.error();
  }
  EXPECT_FALSE(make_policy(kMine, kOwnPotentialShape).ok());
}

TEST(OwnPotential, AnothersStateIsRefusedAndChangesNothing) {
  const auto policy = make_policy(kMine, kOwnPotentialShape, square(3.0, "square")).value();
  const auto other = make_policy(kMine, kOwnPotentialShape, square(4.0, "square")).value();
  const std::string before = other->save();
  EXPECT_FALSE(other->load(policy->save()).ok());
  EXPECT_EQ(other->save(), before);
  EXPECT_TRUE(policy->load(policy->save()).ok());
}

}  // namespace
}  // namespace rein
