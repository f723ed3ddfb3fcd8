// Bills as multiples of what was foreseen: the quantile that is held, and how often a bill passes it.
#include "money/bill_ratios.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr Micro kBase = 1'000'000, kLargest = Micro{1} << 40;

BillRatios of(double quantile) { return BillRatios(2, std::vector<double>{quantile}); }

// The plain definition: the k-th largest of the bills that count.
double kth(std::deque<double> bills, double quantile) {
  std::ranges::sort(bills, std::greater<>());
  const auto k = static_cast<std::size_t>(static_cast<double>(bills.size() + 1) * (1.0 - quantile));
  return k < 1 ? NAN : bills[k - 1];
}

TEST(BillRatios, HoldTheLargestWhileFewerBillsAreKnownThanTheQuantileNeeds) {
  BillRatios ratios = of(0.99);
  for (int n = 0; n < 98; ++n) {
    ratios.add(0, 0, 1000, kBase);
    EXPECT_EQ(ratios.hold(0, 0, kBase, kLargest), kLargest) << n;
  }
  ratios.add(0, 0, 1000, kBase);
  EXPECT_LT(ratios.hold(0, 0, kBase, kLargest), 1040);
  EXPECT_GE(ratios.hold(0, 0, kBase, kLargest), 1000);
  EXPECT_EQ(ratios.hold(1, 0, kBase, kLargest), kLargest) << "another action";
  EXPECT_EQ(ratios.hold(0, 0, kBase, 500), 500) << "never more than the largest cost";
}

TEST(BillRatios, AreTheKthLargestRoundedUpByAtMostABin) {
  BillRatios ratios = of(0.9);
  std::deque<double> older, newer;
  Rng rng(3);
  for (int n = 0; n < 2000; ++n) {
    const double bill = std::floor(1e6 * rng.uniform() * rng.uniform() + 1.0);
    if (newer.size() == 39 || newer.size() == 40) {  // 4 / (1 - 0.9), as a double
      const auto block = static_cast<std::size_t>(BillRatios::kBlocks / (1.0 - 0.9));
      if (newer.size() == block) {
        older = newer;
        newer.clear();
      }
    }
    newer.push_back(bill);
    ratios.add(0, 0, static_cast<MicroSum>(bill), kBase);
    std::deque<double> all = older;
    all.insert(all.end(), newer.begin(), newer.end());
    ASSERT_EQ(ratios.known(0, 0), static_cast<std::int64_t>(all.size()));
    const double expected = kth(all, 0.9);
    if (std::isnan(expected)) continue;
    const auto hold = static_cast<double>(ratios.hold(0, 0, kBase, kLargest));
    ASSERT_GE(hold, expected);
    ASSERT_LE(hold, expected * 1.033 + 1.0);
  }
}

// The promise: a bill passes its hold with probability at most 1 - q, whatever its distribution.
TEST(BillRatios, ABillPassesItsHoldAsSeldomAsPromised) {
  for (const double tail : {1.0, 3.0, 6.0}) {
    BillRatios ratios = of(0.99);
    Rng rng(5);
    int passed = 0, held = 0;
    for (int n = 0; n < 200'000; ++n) {
      const double bill = std::min(1e30, std::ceil(1e3 / std::pow(1.0 - rng.uniform(), tail)));  // Pareto
      const Micro hold = ratios.hold(0, 0, kBase, kMaxMicro);
      if (hold < kMaxMicro) {
        ++held;
        passed += bill > static_cast<double>(hold);
      }
      ratios.add(0, 0, static_cast<MicroSum>(bill), kBase);
    }
    EXPECT_GT(held, 190'000);
    EXPECT_LE(passed, 0.01 * held + 4.0 * std::sqrt(0.01 * held)) << tail;
    EXPECT_GE(passed, 0.005 * held) << "not far too much is held either";
  }
}

TEST(BillRatios, AreTheSameAfterSaveAndLoad) {
  BillRatios ratios = of(0.95);
  Rng rng(7);
  for (int n = 0; n < 500; ++n) {
    ratios.add(n % 2, 0, static_cast<MicroSum>(1e6 * rng.uniform()), kBase);
  }
  ByteWriter out;
  ratios.save(out);
  BillRatios read = of(0.95);
  ByteReader in(out.bytes());
  ASSERT_TRUE(read.load(in) && in.finish());
  for (int place : {0, 1}) {
    EXPECT_EQ(read.hold(place, 0, kBase, kLargest), ratios.hold(place, 0, kBase, kLargest));
    EXPECT_EQ(read.known(place, 0), ratios.known(place, 0));
  }
  std::string cut = out.bytes();
  cut[40] = static_cast<char>(cut[40] ^ 1);
  ByteReader damaged(cut);
  EXPECT_FALSE(of(0.95).load(damaged) && damaged.finish());
}

TEST(BillRatios, OddBillsAreCounted) {
  BillRatios ratios = of(0.9);
  for (MicroSum bill : {MicroSum{0}, MicroSum{-5}, MicroSum{1} << 94}) {
    for (int n = 0; n < 40; ++n) ratios.add(0, 0, bill, 1);
  }
  EXPECT_EQ(ratios.hold(0, 0, kBase, kLargest), kLargest) << "a third of them is enormous";
  ratios.forget(0);
  EXPECT_EQ(ratios.known(0, 0), 0);
}

}  // namespace
}  // namespace rein
