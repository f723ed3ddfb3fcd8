// What decide() refuses to hand out: numbers that are not finite, and probabilities that are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "policy/common.h"

namespace rein {
namespace {

Decision decision_of(std::vector<double> probabilities) {
  Decision d;
  d.prepare(2, static_cast<int>(probabilities.size()));
  std::ranges::copy(probabilities, d.probabilities().begin());
  std::ranges::fill(d.scores(), 0.5);
  for (int h = 0; h < 2; ++h) std::ranges::fill(d.estimates.mean(h), 0.25);
  std::ranges::fill(d.estimates.width(), 0.1);
  d.prices = Costs(1);
  return d;
}

TEST(Sound, ProbabilitiesSumToOneAndNoneIsBelowZero) {
  EXPECT_TRUE(check_sound(decision_of({1.0})));
  EXPECT_TRUE(check_sound(decision_of({0.2, 0.3, 0.1, 0.15, 0.25})));
  EXPECT_FALSE(check_sound(decision_of({1.5, -0.5}))) << "the sum is 1";
  EXPECT_FALSE(check_sound(decision_of({0.75, -0.25}))) << "the sum of sizes is 1";
  EXPECT_FALSE(check_sound(decision_of({0.4, 0.4, 0.1, 0.05, 0.04})));
  EXPECT_FALSE(check_sound(decision_of({0.5, std::numeric_limits<double>::quiet_NaN()})));
}

TEST(Sound, EveryNumberIsFinite) {
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity()};
  const std::function<double&(Decision&)> places[] = {
      [](Decision& d) -> double& { return d.scores()[1]; },
      [](Decision& d) -> double& { return d.estimates.mean(0)[1]; },
      [](Decision& d) -> double& { return d.estimates.mean(1)[0]; },
      [](Decision& d) -> double& { return d.estimates.width()[1]; },
      [](Decision& d) -> double& { return d.prices[0]; },
      [](Decision& d) -> double& { return d.gamma; },
      [](Decision& d) -> double& { return d.log_scale; },
  };
  int at = 0;
  for (const auto& place : places) {
    SCOPED_TRACE(at++);
    for (double number : bad) {
      Decision d = decision_of({0.5, 0.5});
      ASSERT_TRUE(check_sound(d));
      place(d) = number;
      EXPECT_FALSE(check_sound(d)) << number;
    }
  }
}

}  // namespace
}  // namespace rein
