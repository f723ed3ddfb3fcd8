// The window that prices are rehearsed on, against a plain computation round by round.
#include "policy/window.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/kernels.h"
#include "explore/gains.h"
#include "explore/igw.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr int kActions = 5, kCosts = 2;

Estimates random_estimates(Rng& rng, int offered) {
  Estimates estimates;
  estimates.prepare(1 + kCosts, kActions);
  estimates.set_actions(offered);
  for (int h = 0; h <= kCosts; ++h) {
    for (double& x : estimates.mean(h)) x = 2.0 * rng.uniform() - 1.0;
  }
  return estimates;
}

// What inverse gap weighting pays in one round, exactly.
Costs paid(const Estimates& estimates, const Costs& prices, double gamma) {
  std::vector<double> scores, p(static_cast<std::size_t>(estimates.actions()));
  for (int a = 0; a < estimates.actions(); ++a) {
    double score = estimates.mean(0)[a];
    for (int i = 0; i < kCosts; ++i) score -= prices[i] * estimates.mean(i + 1)[a];
    scores.push_back(score);
  }
  Igw().explore(scores, gamma, p);
  Costs out(kCosts);
  for (int i = 0; i < kCosts; ++i) {
    for (int a = 0; a < estimates.actions(); ++a) {
      out[i] += p[static_cast<std::size_t>(a)] * estimates.mean(i + 1)[a];
    }
  }
  return out;
}

class WindowTest : public testing::Test {
 protected:
  // Remembers `count` rounds of 1 to kActions actions.
  void remember(int count) {
    for (int t = 0; t < count; ++t) {
      rounds_.push_back(random_estimates(rng_, 1 + static_cast<int>(rng_.below(kActions))));
      window_.add(rounds_.back(), units_);
    }
  }
  Costs expected(const Costs& prices) const {
    Costs total(kCosts);
    const std::size_t first = rounds_.size() > 16 ? rounds_.size() - 16 : 0;
    for (std::size_t t = first; t < rounds_.size(); ++t) {
      const Costs one = paid(rounds_[t], prices, kGamma);
      for (int i = 0; i < kCosts; ++i) total[i] += one[i];
    }
    for (double& x : total) x /= static_cast<double>(rounds_.size() - first);
    return total;
  }
  static constexpr double kGamma = 7.0;
  Rng rng_{5};
  ConstantGain gain_{kGamma};
  Igw igw_;
  DecisionWindow window_{kActions, kCosts, 16, gain_, igw_};
  std::vector<double> units_ = {1.0, 1.0, 1.0};
  std::vector<Estimates> rounds_;
  std::array<double, kMaxCosts * kMaxCosts> slopes_{};
};

TEST_F(WindowTest, SpendIsWhatTheExplorerWouldPay) {
  for (int more : {3, 5, 20}) {  // part of the ring, half of it, and more than once around
    remember(more);
    const Costs prices = {0.4, 1.3};
    window_.fix_gamma({}, {.scaled = {0.0, 0.0}});
    Costs spend;
    window_.spend(prices, spend, slopes_);
    const Costs wanted = expected(prices);
    for (int i = 0; i < kCosts; ++i) EXPECT_NEAR(spend[i], wanted[i], 2e-4);
  }
}

TEST_F(WindowTest, SlopesAreDerivatives) {
  remember(16);
  window_.fix_gamma({}, {.scaled = {0.0, 0.0}});
  const Costs at = {0.4, 1.3};
  Costs spend;
  window_.spend(at, spend, slopes_);
  for (int j = 0; j < kCosts; ++j) {
    Costs up = at, down = at;
    up[j] += 1e-3;
    down[j] -= 1e-3;
    const Costs high = expected(up), low = expected(down);
    for (int i = 0; i < kCosts; ++i) {
      EXPECT_NEAR(slopes_[static_cast<std::size_t>(i * kCosts + j)], (low[i] - high[i]) / 2e-3,
                  5e-3);
    }
  }
}

TEST_F(WindowTest, LeastIsTheCheapestOfEveryRound) {
  remember(7);
  Costs wanted(kCosts);
  for (const Estimates& round : rounds_) {
    for (int i = 0; i < kCosts; ++i) {
      double least = 1e9;
      for (double g : round.mean(i + 1)) least = std::min(least, g);
      wanted[i] += least / 7.0;
    }
  }
  const Costs least = window_.least();
  for (int i = 0; i < kCosts; ++i) EXPECT_NEAR(least[i], wanted[i], 1e-12);
}

TEST_F(WindowTest, ALimitDropsTheOldest) {
  for (int t = 1; t <= 11; ++t) {  // limits of 1, 2, 2, 3, 3, ..., 6
    rounds_.push_back(random_estimates(rng_, kActions));
    window_.add(rounds_.back(), units_, nullptr, nullptr, t / 2 + 1);
  }
  ASSERT_LE(window_.rounds(), 6);
  ASSERT_GE(window_.rounds(), 3);
  const auto kept = static_cast<std::size_t>(window_.rounds());
  Costs wanted(kCosts);
  for (std::size_t t = rounds_.size() - kept; t < rounds_.size(); ++t) {
    for (int i = 0; i < kCosts; ++i) {
      wanted[i] += *std::ranges::min_element(rounds_[t].mean(i + 1)) / static_cast<double>(kept);
    }
  }
  const Costs least = window_.least();
  for (int i = 0; i < kCosts; ++i) EXPECT_NEAR(least[i], wanted[i], 1e-12);
}

// With a floor f the spend is (1 - f) of what it was and f of the mean cost of what fits.
TEST_F(WindowTest, TheFloorIsCounted) {
  const Floor floor(0.2, {0.24, 0.0}, {false, true});  // fits: first cost at most 0.3
  DecisionWindow with(kActions, kCosts, 16, gain_, igw_, floor);
  remember(16);
  Costs forced(kCosts);
  for (const Estimates& round : rounds_) {
    with.add(round, units_);
    double count = 0.0;
    Costs sum(kCosts);
    for (int a = 0; a < round.actions(); ++a) {
      if (round.mean(1)[a] > 0.3) continue;
      count += 1.0;
      for (int i = 0; i < kCosts; ++i) sum[i] += round.mean(i + 1)[a];
    }
    for (int i = 0; i < kCosts; ++i) forced[i] += count > 0.0 ? sum[i] / count / 16.0 : 0.0;
  }
  const Costs prices = {0.4, 1.3};
  std::array<double, kMaxCosts * kMaxCosts> plain_slopes{};
  Costs plain, spend;
  window_.fix_gamma({}, {.scaled = {0.0, 0.0}});
  window_.spend(prices, plain, plain_slopes);
  with.fix_gamma({}, {.scaled = {0.0, 0.0}});
  with.spend(prices, spend, slopes_);
  for (int i = 0; i < kCosts; ++i) {
    EXPECT_NEAR(spend[i], 0.8 * plain[i] + 0.2 * forced[i], 1e-12);
    EXPECT_NEAR(with.least()[i], 0.8 * window_.least()[i] + 0.2 * forced[i], 1e-12);
  }
  for (std::size_t i = 0; i < kCosts * kCosts; ++i) {
    EXPECT_NEAR(slopes_[i], 0.8 * plain_slopes[i], 1e-12);
  }
}

TEST(WindowKernel, SameBitsOnEveryLevel) {
  Rng rng(3);
  constexpr int kRounds = 24;
  std::vector<double> reward(kActions * kRounds), cost(kCosts * kActions * kRounds);
  for (double& x : reward) x = rng.uniform();
  for (double& x : cost) x = rng.uniform();
  const double prices[] = {0.3, 2.0};
  std::vector<std::vector<double>> results;
  for (const char* level : kLevels) {
    const Kernels* kernels = kernels_at(level);
    if (!kernels) continue;
    std::vector<double> work(8 * kActions), out(kCosts + kCosts * kCosts);
    kernels->window_spend(reward.data(), cost.data(), kActions, kRounds, kCosts, prices, 9.0,
                          work.data(), out.data(), out.data() + kCosts);
    results.push_back(out);
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

}  // namespace
}  // namespace rein
