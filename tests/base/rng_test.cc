#include "rein/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace rein {
namespace {

// The known answers that the authors of Philox publish for philox4x32 with 10 rounds. The counter
// is (draw, stream), low words first, and the key is the seed. A draw uses the first two words.
TEST(Rng, IsPhilox4x32With10Rounds) {
  EXPECT_EQ(Rng(0, 0).bits(), 0xe169c58d6627e8d5ULL);

  constexpr std::uint64_t kOnes = 0xffffffffffffffffULL;
  Rng ones(kOnes, kOnes);
  ones.set_counter(kOnes);
  EXPECT_EQ(ones.bits(), 0x41c83b0e408f276dULL);  // 408f276d 41c83b0e a20bc7c6 6d5451fd

  Rng pi(0x299f31d0a4093822ULL, 0x0370734413198a2eULL);  // digits of pi
  pi.set_counter(0x85a308d3243f6a88ULL);
  EXPECT_EQ(pi.bits(), 0x94fdccebd16cfe09ULL);  // d16cfe09 94fdcceb 5001e420 24126ea1
}

TEST(Rng, TheNthDrawIsAFunctionOfSeedStreamAndN) {
  Rng rng(11, 3);
  std::vector<std::uint64_t> draws;
  for (int i = 0; i < 100; ++i) draws.push_back(rng.bits());
  EXPECT_EQ(rng.counter(), 100U);
  EXPECT_EQ(rng.seed(), 11U);
  EXPECT_EQ(rng.stream(), 3U);
  for (int i = 99; i >= 0; --i) {  // backwards: only the counter matters
    Rng again(11, 3);
    again.set_counter(static_cast<std::uint64_t>(i));
    EXPECT_EQ(again.bits(), draws[static_cast<std::size_t>(i)]) << i;
  }
}

TEST(Rng, SeedsAndStreamsDiffer) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (std::uint64_t stream = 0; stream < 50; ++stream) {
      Rng rng(seed, stream);
      for (int i = 0; i < 4; ++i) seen.insert(rng.bits());
    }
  }
  EXPECT_EQ(seen.size(), 50U * 50U * 4U);
}

TEST(Rng, CountersPastTwoToThe32DoNotWrap) {
  Rng low(1), high(1);
  high.set_counter(std::uint64_t{1} << 32);
  EXPECT_NE(low.bits(), high.bits());
}

TEST(Rng, CountsItsDraws) {
  Rng rng(5);
  rng.uniform();
  EXPECT_EQ(rng.counter(), 1U);
  rng.below(10);
  EXPECT_EQ(rng.counter(), 2U);
  rng.rademacher();
  EXPECT_EQ(rng.counter(), 3U);
  rng.normal();
  EXPECT_EQ(rng.counter(), 5U);
}

// Mean, variance and fourth moment of n draws, against their exact values. The margin is five
// standard errors of each moment, so one seed in a million fails; this seed is fixed.
struct Moments {
  double mean = 0.0, square = 0.0, fourth = 0.0;
};

template <class Draw>
Moments moments(int n, Draw draw) {
  Moments out;
  for (int i = 0; i < n; ++i) {
    const double x = draw();
    out.mean += x;
    out.square += x * x;
    out.fourth += x * x * x * x;
  }
  out.mean /= n;
  out.square /= n;
  out.fourth /= n;
  return out;
}

constexpr int kDraws = 400'000;
double margin(double variance) { return 5.0 * std::sqrt(variance / kDraws); }

TEST(Rng, UniformHasItsMoments) {
  Rng rng(21);
  double lowest = 1.0, highest = 0.0;
  const Moments m = moments(kDraws, [&] {
    const double u = rng.uniform();
    lowest = std::min(lowest, u);
    highest = std::max(highest, u);
    return u;
  });
  EXPECT_NEAR(m.mean, 1.0 / 2.0, margin(1.0 / 12.0));
  EXPECT_NEAR(m.square, 1.0 / 3.0, margin(1.0 / 5.0 - 1.0 / 9.0));
  EXPECT_NEAR(m.fourth, 1.0 / 5.0, margin(1.0 / 9.0 - 1.0 / 25.0));
  EXPECT_GE(lowest, 0.0);
  EXPECT_LT(highest, 1.0);
  EXPECT_LT(lowest, 1e-4);
  EXPECT_GT(highest, 1.0 - 1e-4);
}

TEST(Rng, UniformIsAMultipleOfTwoToTheMinus53) {
  Rng rng(22);
  for (int i = 0; i < 1000; ++i) {
    const double scaled = std::ldexp(rng.uniform(), 53);
    EXPECT_EQ(scaled, std::floor(scaled));
  }
}

TEST(Rng, NormalHasItsMoments) {
  Rng rng(23);
  const Moments m = moments(kDraws, [&] { return rng.normal(); });
  EXPECT_NEAR(m.mean, 0.0, margin(1.0));
  EXPECT_NEAR(m.square, 1.0, margin(2.0));
  EXPECT_NEAR(m.fourth, 3.0, margin(96.0));
}

TEST(Rng, NeighbouringDrawsAreNotCorrelated) {
  Rng rng(24);
  double before = rng.normal();
  const Moments m = moments(kDraws, [&] {
    const double x = rng.normal();
    return std::exchange(before, x) * x;
  });
  EXPECT_NEAR(m.mean, 0.0, margin(1.0));
}

TEST(Rng, RademacherHasItsMean) {
  for (double mean : {-1.0, -0.3, 0.0, 0.7, 1.0}) {
    Rng rng(25);
    const Moments m = moments(kDraws, [&] { return rng.rademacher(mean); });
    EXPECT_NEAR(m.mean, mean, margin(1.0 - mean * mean));
    EXPECT_EQ(m.square, 1.0);
  }
}

TEST(Rng, BelowStaysBelowAndReachesAll) {
  for (std::int64_t n : {1, 2, 3, 7, 100}) {
    Rng rng(26);
    std::vector<int> counts(static_cast<std::size_t>(n));
    const int draws = 2000 * static_cast<int>(n);
    for (int i = 0; i < draws; ++i) {
      const std::int64_t x = rng.below(n);
      ASSERT_GE(x, 0);
      ASSERT_LT(x, n);
      ++counts[static_cast<std::size_t>(x)];
    }
    for (int count : counts) EXPECT_NEAR(count, 2000, 5.0 * std::sqrt(2000.0)) << "n = " << n;
  }
  Rng rng(27);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t x = rng.below(INT64_MAX);
    ASSERT_GE(x, 0);
    ASSERT_LT(x, INT64_MAX);
  }
}

}  // namespace
}  // namespace rein
