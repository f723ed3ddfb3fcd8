// The world `nonlinear`, whose means no linear function of the context can represent: linear
// oracles fail, others learn. One line per oracle.
#include <gtest/gtest.h>

#include <algorithm>

#include "estimate/play.h"
#include "rein/world.h"

namespace rein {
namespace {

struct Errors {
  double all = 0.0;   // squared error per round of the worst head, in units
  double late = 0.0;  // the same over the last quarter
};

// Random actions, so that every oracle meets the same rounds.
Errors errors(const std::string& world_spec, const std::string& spec, int rounds) {
  const auto world = make_world(std::string_view(world_spec), 3, rounds).value();
  const Shape& shape = world->shape();
  const auto oracle = oracle_of(spec, shape);
  const auto heads = static_cast<std::size_t>(shape.heads());
  std::vector<double> all(heads), late(heads),
      means(heads * static_cast<std::size_t>(shape.actions));
  Rng rng(4);
  Outcome outcome;
  for (int t = 0; t < rounds; ++t) {
    const Round& round = world->next();
    const auto action = static_cast<int>(rng.below(round.actions));
    const Estimates e = predict(*oracle, shape, round);
    world->means(means);
    world->outcome(action, outcome);
    std::vector<double> y{outcome.reward};
    y.insert(y.end(), outcome.costs.begin(), outcome.costs.end());
    for (std::size_t h = 0; h < heads; ++h) {
      const double miss = e.mean(static_cast<int>(h))[action] -
                          means[h * static_cast<std::size_t>(round.actions) + action];
      all[h] += miss * miss / rounds;
      if (t >= 3 * rounds / 4) late[h] += miss * miss / (rounds / 4.0);
    }
    oracle->learn(round, action, y);
  }
  return {*std::max_element(all.begin(), all.end()), *std::max_element(late.begin(), late.end())};
}

struct Claim {
  const char* spec;
  bool learns;
  double smooth;  // squared error per round in the last quarter of 4000: at most this if it
  double steps;   // learns, at least this if it does not
};

// The mean square of a cost is 0.19 for smooth curves and 0.5 for steps, for the three of four
// actions that are not safe. So an oracle that learns nothing has 0.14 and 0.375.
class Nonlinear : public testing::TestWithParam<Claim> {};

INSTANTIATE_TEST_SUITE_P(
    Oracles, Nonlinear,
    testing::Values(Claim{"vaw", false, 0.13, 0.35}, Claim{"ons", false, 0.13, 0.35},
                    Claim{"adagrad", false, 0.13, 0.35},
                    Claim{"kernel(size=64)", true, 0.014, 0.14},
                    Claim{"kernel(kind=dictionary,size=64)", true, 0.014, 0.14},
                    Claim{"stack(of=[vaw,kernel(size=64)])", true, 0.014, 0.14},
                    Claim{"forest", true, 0.04, 0.12}, Claim{"mlp", true, 0.03, 0.14}));

TEST_P(Nonlinear, LinearOraclesFailAndCurvesDoNot) {
  const Claim& claim = GetParam();
  const Errors smooth = errors("nonlinear", claim.spec, 4000);
  const Errors steps = errors("nonlinear(kind=steps)", claim.spec, 4000);
  RecordProperty("smooth", std::to_string(smooth.late));
  RecordProperty("steps", std::to_string(steps.late));
  if (claim.learns) {
    EXPECT_LE(smooth.late, claim.smooth);
    EXPECT_LE(steps.late, claim.steps);
    EXPECT_LE(smooth.all, 2.5 * claim.smooth) << "and it does so early";
  } else {  // as much error in the last rounds as in the first
    EXPECT_GE(smooth.late, claim.smooth);
    EXPECT_GE(steps.late, claim.steps);
    EXPECT_GE(smooth.late, 0.9 * smooth.all);
  }
}

}  // namespace
}  // namespace rein
