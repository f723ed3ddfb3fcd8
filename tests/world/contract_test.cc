// The contract of every world, over every entry of the table and variants of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "world/worlds.h"

namespace rein {
namespace {

class Contract : public testing::TestWithParam<std::string> {};

TEST_P(Contract, ShapeIsValidAndKnowsTheRoundsAndTheTruth) {
  const auto world = world_of(GetParam(), 5, 321);
  const Shape& shape = world->shape();
  EXPECT_TRUE(validate(shape).ok());
  EXPECT_EQ(shape.rounds, 321);
  ASSERT_EQ(shape.truth != nullptr, knows_its_means(GetParam()));
  EXPECT_TRUE(!shape.truth || shape.truth->size() == 1);
}

TEST_P(Contract, RoundsAndOutcomesFitTheShape) {
  const auto world = world_of(GetParam());
  for (int t = 0; t < 200; ++t) {
    const Round& round = world->next();
    const auto fits = validate(world->shape(), round);
    ASSERT_TRUE(fits.ok()) << fits.error();
    for (int a = 0; a < round.actions; ++a) {
      Outcome outcome;
      world->outcome(a, outcome);
      const auto allowed = validate(world->shape(), outcome);
      ASSERT_TRUE(allowed.ok()) << allowed.error() << " in round " << t;
    }
    world->observe(0, Outcome{.costs = Costs(world->shape().heads() - 1)});
  }
}

TEST_P(Contract, NothingShownIsLongerThanOne) {
  const auto world = world_of(GetParam());
  const auto square = [](std::span<const double> x) {
    double sum = 0.0;
    for (double value : x) sum += value * value;
    return sum;
  };
  for (int t = 0; t < 50; ++t) {
    const Round& round = world->next();
    EXPECT_LE(square(round.context), 1.0);
    const auto d = static_cast<std::size_t>(world->shape().features);
    for (int a = 0; d > 0 && a < round.actions; ++a) {
      EXPECT_LE(square(round.features.subspan(static_cast<std::size_t>(a) * d, d)), 1.0);
    }
  }
}

TEST_P(Contract, SameSeedGivesTheSameBits) {
  EXPECT_EQ(trace_of(GetParam(), 7), trace_of(GetParam(), 7));
}

TEST_P(Contract, AskingChangesNothingInWhateverOrder) {
  const auto plain = world_of(GetParam(), 7);
  const auto asked = world_of(GetParam(), 7);
  for (int t = 0; t < 50; ++t) {
    const Round& round = asked->next();
    plain->next();
    std::vector<Outcome> backwards(static_cast<std::size_t>(round.actions));
    for (int twice = 0; twice < 2; ++twice) {
      for (int a = round.actions - 1; a >= 0; --a) asked->outcome(a, backwards[a]);
      means_of(*asked, round.actions);
    }
    for (int a = 0; a < round.actions; ++a) {
      Outcome forwards;
      plain->outcome(a, forwards);
      ASSERT_EQ(forwards.reward, backwards[a].reward);
      ASSERT_EQ(forwards.costs, backwards[a].costs);
    }
    plain->observe(0, backwards[0]);
    asked->observe(0, backwards[0]);
  }
}

TEST_P(Contract, ActionsChangeTheWorldOnlyIfItAdapts) {
  const auto play = [](World& world, bool most) {
    return trace_of(world, 100, [&](int, int k) { return extreme_action(world, k, most); });
  };
  const auto thrifty = play(*world_of(GetParam(), 3), false);
  const auto lavish = play(*world_of(GetParam(), 3), true);
  EXPECT_EQ(thrifty != lavish, adapts(GetParam()));
  EXPECT_EQ(world_of(GetParam(), 3)->adapts(), adapts(GetParam()));
}

TEST_P(Contract, MeansAreTheTruthAndInRange) {
  const auto world = world_of(GetParam(), 2);
  const Shape& shape = world->shape();
  std::vector<double> truth(static_cast<std::size_t>(shape.heads()));
  Outcome outcome;
  for (int t = 0; t < 100; ++t) {
    const Round& round = world->next();
    const std::vector<double> means = means_of(*world, round.actions);
    for (int a = 0; a < round.actions; ++a) {
      if (shape.truth) {
        shape.truth->evaluate(0, round, a, truth);
      } else if (estimates_its_means(GetParam())) {
        for (int h = 0; h < shape.heads(); ++h) truth[h] = means[h * round.actions + a];
      } else {  // the outcomes replace them
        world->outcome(a, outcome);
        truth[0] = outcome.reward;
        std::copy(outcome.costs.begin(), outcome.costs.end(), truth.begin() + 1);
      }
      for (int h = 0; h < shape.heads(); ++h) {
        const Range range = h == 0 ? shape.reward : shape.costs[h - 1].range;
        ASSERT_EQ(means[h * round.actions + a], truth[h]);
        ASSERT_GE(truth[h], range.low);
        ASSERT_LE(truth[h], range.high);
      }
    }
  }
}

// No distribution on [low, high] with a given mean has a variance above (high - mean)(mean - low).
// 200 seeds x 20 rounds; 4.5 standard errors of the sum, by that bound.
TEST_P(Contract, OutcomesHaveTheirMeans) {
  const int heads = world_of(GetParam())->shape().heads();
  std::vector<double> off(static_cast<std::size_t>(heads));
  std::vector<double> variance(static_cast<std::size_t>(heads));
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto world = world_of(GetParam(), seed, 20);
    for (int t = 0; t < 20; ++t) {
      const Round& round = world->next();
      const std::vector<double> means = means_of(*world, round.actions);
      const int a = t % round.actions;
      Outcome outcome;
      world->outcome(a, outcome);
      for (int h = 0; h < heads; ++h) {
        const Range r = h == 0 ? world->shape().reward : world->shape().costs[h - 1].range;
        const double mean = means[h * round.actions + a];
        off[h] += (h == 0 ? outcome.reward : outcome.costs[h - 1]) - mean;
        variance[h] += (r.high - mean) * (mean - r.low);
      }
      world->observe(a, outcome);
    }
  }
  for (int h = 0; h < heads; ++h) {
    EXPECT_LE(std::abs(off[h]), 4.5 * std::sqrt(variance[h]) + 1e-9) << "head " << h;
  }
}

// Signed costs: some action has every mean cost at or below 0. Positive costs with a budget: some
// action has every mean cost at or below its budget per round.
TEST_P(Contract, EveryRoundHasAnActionThatIsSafe) {
  if (GetParam().starts_with("subset")) return;  // the safe action may not be offered
  const auto world = world_of(GetParam(), 9);
  const Shape& shape = world->shape();
  for (int t = 0; t < 200; ++t) {
    const Round& round = world->next();
    const std::vector<double> means = means_of(*world, round.actions);
    bool found = false;
    for (int a = 0; a < round.actions && !found; ++a) {
      found = true;
      for (int i = 0; i < shape.heads() - 1; ++i) {
        const double most =
            shape.budgets.empty() ? 0.0 : shape.budgets[i] / static_cast<double>(shape.rounds);
        const bool is_free = shape.budgets.empty() && shape.costs[i].range.low >= 0.0;
        found = found && (is_free || means[(i + 1) * round.actions + a] <= most);
      }
    }
    ASSERT_TRUE(found) << "round " << t;
    world->observe(t % round.actions, Outcome{.costs = Costs(shape.heads() - 1, 1.0)});
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = fmt::format("{:02}_{}", info.index, info.param);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Worlds, Contract, testing::ValuesIn(contract_specs()), test_name);

}  // namespace
}  // namespace rein
