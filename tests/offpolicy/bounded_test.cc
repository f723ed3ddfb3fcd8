#include "offpolicy/bounded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "rein/rng.h"

namespace rein {
namespace {

std::vector<double> zeros_and(int zeros, std::vector<double> numbers) {
  numbers.resize(numbers.size() + static_cast<std::size_t>(zeros), 0.0);
  return numbers;
}

// The ends of Clopper and Pearson, from quantiles of the beta law (SciPy 1.17).
TEST(Independent, OfYesAndNoIsThatOfClopperAndPearson) {
  struct Known {
    int count, yes;
    double low, high;
  };
  const Known known[] = {
      {1000, 1, 2.531748749129404e-05, 0.005558924279826672},
      {1000, 3, 0.0006190999316495713, 0.008742023238478303},
      {1000, 10, 0.004805510691049308, 0.01831324305511245},
      {1000, 500, 0.46854917297179194, 0.531450827028208},
      {5, 2, 0.052744950526316906, 0.8533672003653268},
  };
  for (const Known& each : known) {
    const Ends ends = independent95(
        zeros_and(each.count - each.yes, std::vector<double>(static_cast<std::size_t>(each.yes), 1.0)));
    EXPECT_NEAR(ends.low, each.low, 0.023 * each.low) << each.yes;
    EXPECT_LE(ends.low, each.low * (1.0 + 1e-4)) << each.yes;  // cautious where it is not exact
    EXPECT_NEAR(ends.high, each.high, 0.002 * each.high) << each.yes;
    EXPECT_GE(ends.high, each.high * (1.0 - 1e-6)) << each.yes;
  }
}

TEST(Independent, ZerosHaveAnUpperEnd) {
  const Ends ends = independent95(std::vector<double>(1000, 0.0));
  EXPECT_EQ(ends.low, 0.0);
  EXPECT_NEAR(ends.high, 1.0 - std::pow(1.0 / 40.0, 1e-3), 3e-5);
}

// The 2.5 % and 97.5 % quantiles of the mean under random weights, drawn 20 000 times.
TEST(Independent, OfOtherNumbersIsTheQuantileOfRandomWeights) {
  const std::vector<double> numbers = zeros_and(188, {0.01, 0.02, 0.05, 0.05, 0.08, 0.1, 0.11, 0.2,
                                                      0.2, 0.3, 0.6, 0.9});
  Rng rng(1, 6);
  std::vector<double> lows, highs;
  for (int draw = 0; draw < 20'000; ++draw) {
    double sum = 0.0;
    double all = 0.0;
    for (const double x : numbers) {
      const double weight = -std::log(1.0 - rng.uniform());
      sum += weight * x;
      all += weight;
    }
    const double extra = -std::log(1.0 - rng.uniform());
    lows.push_back(sum / (all + extra));
    highs.push_back((sum + extra) / (all + extra));
  }
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  const Ends ends = independent95(numbers);
  EXPECT_NEAR(ends.low, lows[500], 0.03 * lows[500]);
  EXPECT_NEAR(ends.high, highs[19'500], 0.03 * highs[19'500]);
}

int held(Ends (*interval)(std::vector<double>), double mean,
         const std::function<double(Rng&)>& draw) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed, 5);
    std::vector<double> numbers;
    for (int i = 0; i < 1000; ++i) numbers.push_back(draw(rng));
    const Ends ends = interval(std::move(numbers));
    count += ends.low <= mean && mean <= ends.high ? 1 : 0;
  }
  return count;
}

TEST(Independent, HoldsForRareNumbers) {
  for (const double share : {0.0005, 0.003, 0.02, 0.999}) {
    const auto draw = [&](Rng& rng) { return rng.uniform() < share ? 1.0 : 0.0; };
    EXPECT_GE(held(independent95, share, draw), 187) << share;
  }
  // Rare yes under weights of 1 and 1/20.
  const auto weighted = [](Rng& rng) {
    const double weight = rng.uniform() < 0.1 ? 1.0 : 0.05;
    return rng.uniform() < 0.01 ? weight : 0.0;
  };
  EXPECT_GE(held(independent95, 0.01 * (0.1 + 0.9 * 0.05), weighted), 187);
}

TEST(Bets, HoldForRareNumbersAndAreWider) {
  for (const double share : {0.0005, 0.003, 0.02, 0.999}) {
    const auto draw = [&](Rng& rng) { return rng.uniform() < share ? 1.0 : 0.0; };
    EXPECT_GE(held(bets95, share, draw), 190) << share;
  }
  const Ends bets = bets95(std::vector<double>(1000, 0.0));
  EXPECT_EQ(bets.low, 0.0);
  EXPECT_GT(bets.high, independent95(std::vector<double>(1000, 0.0)).high);
  EXPECT_LT(bets.high, 1.5 * (1.0 - std::pow(1.0 / 40.0, 1e-3)));
}

}  // namespace
}  // namespace rein
