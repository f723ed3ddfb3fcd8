// Days with an outage in them: how evenly a daily budget is spent then, and on the days after.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "engine/shop.h"

namespace rein {
namespace {

constexpr std::int64_t kSecondsOfADay = 86400;
constexpr int kRequestsOfADay = 1000;

// The share of its budget that each day spent on the first 30 % of its requests, and in all. Most
// requests come at noon. No request comes between two hours, counted from the first day.
struct SpentByDay {
  std::vector<double> first, all;
};

SpentByDay spend_days(int days, double hole_first, double hole_end) {
  Engine engine = made({steer("day", 0.4 * kRequestsOfADay, Window::day())});
  Shop shop;
  SpentByDay spent;
  for (int day = 0; day < days; ++day) {
    std::vector<double> costs;
    double time = 0.0;
    for (int n = 0; n < kRequestsOfADay; ++n) {
      const double share = (n + 0.5) / kRequestsOfADay;
      while (time - 0.9 * std::sin(2.0 * M_PI * time) / (2.0 * M_PI) < share) time += 1e-5;
      const double hour = 24.0 * (day + time);
      if (hour >= hole_first && hour < hole_end) continue;
      engine.tick(static_cast<std::int64_t>((day + time) * kSecondsOfADay)).check();
      costs.push_back(shop.play(engine));
    }
    const auto some = static_cast<std::ptrdiff_t>(0.3 * static_cast<double>(costs.size()));
    const double budget = 0.4 * kRequestsOfADay;
    spent.first.push_back(std::accumulate(costs.begin(), costs.begin() + some, 0.0) / budget);
    spent.all.push_back(std::accumulate(costs.begin(), costs.end(), 0.0) / budget);
  }
  return spent;
}

// Days count from 0. Before holes were seen, the day of the night outage spent 64 % in the first 30 % of
// its requests, and the same weekday of the next week 56 % or 8 %.
TEST(RulesSteeredBudgets, AnOutageLeavesAHole) {
  for (const auto& [first, end] : {std::pair{4 * 24 + 9, 4 * 24 + 15}, {4 * 24 - 2, 4 * 24 + 8}}) {
    const SpentByDay spent = spend_days(13, first, end);
    for (std::size_t day = 5; day < spent.first.size(); ++day) {
      EXPECT_NEAR(spent.first[day], 0.30, 0.09) << "day " << day << " after an outage from " << first;
      EXPECT_NEAR(spent.all[day], 1.0, 0.02) << "day " << day;
    }
  }
}

TEST(Outage, AnOutageOverNightDoesNotSpendTheNextDaysMoneyInTheMorning) {
  const SpentByDay spent = spend_days(6, 4 * 24 - 4, 4 * 24 + 8);
  EXPECT_LE(spent.first[4], 0.50);
  EXPECT_NEAR(spent.all[4], 1.0, 0.02);
}

}  // namespace
}  // namespace rein
