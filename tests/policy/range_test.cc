// ccb(tuning=auto) where the declared range of a cost is far wider than the costs: the same
// outcomes, the range 1 to 1e6, and 40 000. The budget is kept, and prices do not follow the range.
#include <gtest/gtest.h>

#include <array>

#include "../sanitized.h"
#include "policy/play.h"

namespace rein {
namespace {

constexpr int kRounds = 6000;
constexpr double kRate = 0.005;
constexpr std::array kCosts = {0.0005, 0.01, 0.07, 0.7};  // of the actions, in the mean
constexpr std::array kRewards = {0.3, 0.5, 0.6, 0.8};

struct RangePlayed {
  double reward = 0.0;
  double spent = 0.0;  // in units of the budget
  double price = 0.0;  // mean of the second half
};

RangePlayed play_range(double range, const std::string& spec) {
  const Shape shape{.actions = 4, .context = 2, .costs = {{"dollars", {0.0, range}}}};
  const auto policy = make_policy(spec, shape).value();
  Rng rng(5), noise(6);
  Scratch scratch(*policy);
  Decision decision(*policy);
  RangePlayed played;
  for (int t = 0; t < kRounds; ++t) {
    const std::array x = {noise.uniform(), noise.uniform()};
    std::array<double, 4> rewards{}, costs{};
    for (std::size_t a = 0; a < 4; ++a) {
      rewards[a] = kRewards[a] * (0.5 + x[a % 2]) * (0.8 + 0.4 * noise.uniform());
      costs[a] = kCosts[a] * (0.5 + 0.5 * x[(a + 1) % 2]) * (0.8 + 0.4 * noise.uniform());
    }
    const Round round{.actions = 4, .context = x};
    policy->decide(round, rng, scratch, decision).check();
    const auto a = static_cast<std::size_t>(decision.action);
    policy->learn(round, decision, {.reward = std::min(rewards[a], 1.0), .costs = {costs[a]}})
        .check();
    played.reward += rewards[a] / kRounds;
    played.spent += costs[a] / (kRate * kRounds);
    if (t >= kRounds / 2) played.price += decision.prices[0] / (kRounds / 2);
  }
  return played;
}

TEST(Range, NeitherSpendNorPriceFollowsIt) {
  for (const char* spec : {"ccb(rate=0.005,rounds=6000)", "ccb(horizon=0,rate=0.005)"}) {
    const RangePlayed one = play_range(1.0, spec);
    for (const double range : {1.0, 10.0, 1e2, 1e3, 1e4, 4e4, 1e5, 1e6}) {
      if (sanitized() && range != 1e4) continue;
      SCOPED_TRACE(std::string(spec) + ", range " + std::to_string(range));
      const RangePlayed wide = play_range(range, spec);
      EXPECT_LE(wide.spent, 1.01);
      EXPECT_NEAR(wide.price, one.price, 0.05 * one.price);
      EXPECT_NEAR(wide.reward, one.reward, 0.02 * one.reward);
    }
  }
}

}  // namespace
}  // namespace rein
