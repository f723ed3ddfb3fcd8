// Noise: in range, with the exact mean, and a pure function of (seed, round, action, head).
#include "world/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "property.h"

namespace rein {
namespace {

Noise noise_of(const std::string& options, std::uint64_t seed = 1) {
  const Spec spec = parse_spec("world(" + options + ")").value();
  SpecReader read(spec, "world spec");
  Noise noise(read, "rademacher", seed);
  read.finish().check();
  return noise;
}

const char* const kKinds[] = {"noise=rademacher", "noise=gaussian,sd=0.25", "noise=gaussian,sd=3",
                              "noise=low", "noise=none"};

struct Moments {
  double mean = 0.0;
  double sd = 0.0;
};

Moments sample(const Noise& noise, double mean, const Range& range, int rounds) {
  double sum = 0.0;
  double squares = 0.0;
  for (int t = 0; t < rounds; ++t) {
    const double off = noise.draw(t, 3, 1, mean, range) - mean;
    sum += off;
    squares += off * off;
  }
  return {mean + sum / rounds, std::sqrt(squares / rounds)};
}

TEST(Noise, StaysInRangeAndSymmetricWhateverTheMean) {
  EXPECT_TRUE(rc::check("in range", [](std::uint64_t seed) {
    const Range range = *rc::gen::element(Range{-1.0, 1.0}, Range{0.0, 1.0});
    const double share = *rc::gen::inRange(0, 1001) / 1000.0;
    const double mean = range.low + share * (range.high - range.low);
    const std::string kind =
        *rc::gen::elementOf(std::vector<std::string>(std::begin(kKinds), std::end(kKinds)));
    const Noise noise = noise_of(kind, seed);
    const std::int64_t round = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 50);
    const int action = *rc::gen::inRange(0, 1'000'000);
    const double drawn = noise.draw(round, action, 2, mean, range);
    RC_ASSERT(drawn >= range.low);
    RC_ASSERT(drawn <= range.high);
    RC_ASSERT(drawn == noise_of(kind, seed).draw(round, action, 2, mean, range));
    if (kind != "noise=rademacher") {
      const double half = std::min(mean - range.low, range.high - mean);
      RC_ASSERT(std::abs(drawn - mean) <= half + 1e-12);
    }
  }));
}

// 40 000 draws, 4 standard errors of their own spread.
TEST(Noise, MeansAreExactEvenNextToTheEndOfTheRange) {
  for (const char* kind : kKinds) {
    for (double mean : {0.002, 0.1, 0.5, 0.93}) {
      const Moments found = sample(noise_of(kind), mean, {0.0, 1.0}, 40'000);
      EXPECT_NEAR(found.mean, mean, 4.0 * found.sd / 200.0 + 1e-12) << kind << " at " << mean;
    }
  }
}

TEST(Noise, RademacherTakesOnlyTheEndsOfTheRange) {
  const Noise noise = noise_of("noise=rademacher");
  std::set<double> signed_values;
  std::set<double> positive_values;
  for (int t = 0; t < 1000; ++t) {
    signed_values.insert(noise.draw(t, 0, 0, 0.3, {-1.0, 1.0}));
    positive_values.insert(noise.draw(t, 0, 0, 0.3, {0.0, 1.0}));
    EXPECT_EQ(noise.draw(t, 0, 0, 1.0, {-1.0, 1.0}), 1.0);
    EXPECT_EQ(noise.draw(t, 0, 0, 0.0, {0.0, 1.0}), 0.0);
  }
  EXPECT_EQ(signed_values, (std::set<double>{-1.0, 1.0}));
  EXPECT_EQ(positive_values, (std::set<double>{0.0, 1.0}));
}

TEST(Noise, GaussianHasItsSpreadWhereTheRangeIsFar) {
  const Range range{-1.0, 1.0};
  EXPECT_NEAR(sample(noise_of("noise=low"), 0.0, range, 40'000).sd, 0.05, 0.001);
  // Truncated at 4 sd: exactly 0.24987.
  EXPECT_NEAR(sample(noise_of("noise=gaussian,sd=0.25"), 0.0, range, 40'000).sd, 0.25, 0.005);
  // Nearly uniform on [-1, 1], whose sd is 0.57735: exactly 0.57308.
  EXPECT_NEAR(sample(noise_of("noise=gaussian,sd=3"), 0.0, range, 40'000).sd, 0.57308, 0.008);
}

// Products of draws that differ in one coordinate average to 0: 20 000 pairs, 4 standard errors.
TEST(Noise, RoundsActionsHeadsAndSeedsAreIndependent) {
  const Noise noise = noise_of("noise=rademacher");
  const Noise other = noise_of("noise=rademacher", 2);
  const Range range{-1.0, 1.0};
  double products[4] = {};
  for (int t = 0; t < 20'000; ++t) {
    const double one = noise.draw(t, 1, 1, 0.0, range);
    products[0] += one * noise.draw(t + 1, 1, 1, 0.0, range);
    products[1] += one * noise.draw(t, 2, 1, 0.0, range);
    products[2] += one * noise.draw(t, 1, 2, 0.0, range);
    products[3] += one * other.draw(t, 1, 1, 0.0, range);
  }
  for (double product : products) EXPECT_LE(std::abs(product), 4.0 * std::sqrt(20'000.0));
}

}  // namespace
}  // namespace rein
