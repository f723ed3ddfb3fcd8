// The gains: gamma against the plain formula, in long double if prices overflow a double.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "catalog_keys.h"
#include "explore/gain.h"
#include "property.h"
#include "rein/bytes.h"
#include "rein/catalog.h"
#include "rein/rng.h"

namespace rein {
namespace {

Terms terms_of(int costs, double u, double scale) {
  return {.actions = 8, .costs = costs, .rounds = 1000, .u = u, .gamma_scale = scale};
}

std::unique_ptr<Gain> make(std::string_view spec, const Terms& terms) {
  return make_gain(parse_spec(spec).value(), terms).value();
}

// gamma as it is, not multiplied by exp(log_scale).
long double plain_gamma(const Gain& gain, double log_scale, int actions, std::int64_t rounds) {
  const double gamma =
      gain.gamma({.rounds = rounds}, {.scaled = {}, .log_scale = log_scale}, actions);
  EXPECT_TRUE(std::isfinite(gamma));
  EXPECT_GE(gamma, 0.0);
  return static_cast<long double>(gamma) * std::exp(-static_cast<long double>(log_scale));
}

void expect_close(long double found, long double wanted) {
  EXPECT_LE(std::abs(found - wanted), 1e-11L * wanted) << static_cast<double>(found / wanted);
}

// sqrt(K/U (z + sum of z learned)) / ((m + 1) z) along a random path of prices up to `top`.
void run_theory(double log_top, int costs, double u, double scale, std::uint64_t seed) {
  Rng rng(seed);
  const auto gain = make("theory", terms_of(costs, u, scale));
  long double sum = 0.0L;
  for (int t = 0; t < 300; ++t) {
    const double l = rng.uniform() < 0.3 ? 0.0 : log_top * rng.uniform();
    const int actions = 1 + static_cast<int>(rng.below(8));
    const long double z = std::exp(2.0L * l);
    const long double wanted = scale * std::sqrt(actions / u * (z + sum)) / ((costs + 1) * z);
    expect_close(plain_gamma(*gain, l, actions, t), wanted);
    gain->learn(l);
    sum += z;
  }
}

TEST(TheoryGain, IsThePlainFormula) {
  run_theory(0.0, 1, 1.0, 1.0, 1);
  run_theory(3.0, 1, 17.5, 1.0, 2);
  run_theory(5.0, 0, 2.0, 20.0, 3);
  run_theory(5.0, 16, 1.0, 0.01, 4);
}

TEST(TheoryGain, IsThePlainFormulaForPricesUpTo1e200) {
  run_theory(std::log(1e100), 1, 1.0, 1.0, 5);
  run_theory(std::log(1e200), 3, 60.0, 1.0, 6);
}

TEST(TheoryGain, WithoutPricesItIsTheRootOfTheRound) {
  const auto gain = make("theory", terms_of(1, 2.0, 1.0));
  for (int t = 0; t < 1000; ++t) {
    EXPECT_EQ(gain->gamma({.rounds = t}, {}, 8), 0.5 * std::sqrt(8 / 2.0 * (1.0 + t)));
    gain->learn(0.0);
  }
}

TEST(TheoryGain, AskingChangesNothing) {
  const auto gain = make("theory", terms_of(1, 1.0, 1.0));
  gain->learn(0.5);
  const double before = gain->gamma({.rounds = 1}, {.scaled = {}, .log_scale = 2.0}, 4);
  (void)gain->gamma({.rounds = 1}, {.scaled = {}, .log_scale = 400.0}, 4);
  EXPECT_EQ(gain->gamma({.rounds = 1}, {.scaled = {}, .log_scale = 2.0}, 4), before);
}

// Outcomes come late and in any order: S is a sum, so the order changes only the rounding.
TEST(TheoryGain, CommitsInAnyOrderGiveTheSameSum) {
  EXPECT_TRUE(rc::check([] {
    std::vector<double> scales = *rc::gen::container<std::vector<double>>(rc::gen::map(
        rc::gen::inRange(0, 46'000), [](int x) { return x < 20'000 ? 0.0 : 0.01 * x; }));
    const auto in_order = make("theory", terms_of(1, 1.0, 1.0));
    for (double l : scales) in_order->learn(l);
    std::sort(scales.begin(), scales.end());
    const auto ascending = make("theory", terms_of(1, 1.0, 1.0));
    for (double l : scales) ascending->learn(l);
    const auto descending = make("theory", terms_of(1, 1.0, 1.0));
    for (auto l = scales.rbegin(); l != scales.rend(); ++l) descending->learn(*l);
    for (double ask : {0.0, 3.0, 460.0}) {
      const double wanted = in_order->gamma({.rounds = 0}, {.scaled = {}, .log_scale = ask}, 4);
      for (const Gain* other : {ascending.get(), descending.get()}) {
        const double found = other->gamma({.rounds = 0}, {.scaled = {}, .log_scale = ask}, 4);
        RC_ASSERT(std::abs(found - wanted) <= 1e-12 * wanted);
      }
    }
  }));
}

TEST(ConstantGain, IsOneNumberWhateverThePrice) {
  const auto gain = make("constant(gamma=7)", terms_of(1, 1.0, 0.5));
  for (double l : {0.0, 1.0, 460.0}) expect_close(plain_gamma(*gain, l, 3, 99), 3.5L);
  EXPECT_EQ(make("constant", terms_of(1, 1.0, 1.0))->gamma({.rounds = 0}, {}, 3), 1.0);
}

TEST(RootGain, GrowsAsAPowerOfTheRounds) {
  const auto usual = make("root_t", terms_of(1, 1.0, 2.0));
  expect_close(plain_gamma(*usual, 0.0, 3, 0), 20.0L);
  expect_close(plain_gamma(*usual, 5.0, 3, 99), 200.0L);
  const auto third = make("root_t(factor=3,power=0.25)", terms_of(1, 1.0, 1.0));
  expect_close(plain_gamma(*third, 0.0, 3, 15), 6.0L);
  const auto flat = make("root_t(factor=3,power=0)", terms_of(1, 1.0, 1.0));
  expect_close(plain_gamma(*flat, 0.0, 3, 1'000'000), 3.0L);
}

// K sqrt(T / U) V / (V + sum Q): with prices Q / V = 3 and 1.5, beta is 1 / 5.5.
TEST(Loe2dGain, FallsAsTheQueuesGrow) {
  const Terms terms = terms_of(2, 10.0, 2.0);  // T = 1000: sqrt(T / U) = 10
  for (const auto& [spec, k] : {std::pair{"loe2d", 4.0}, std::pair{"loe2d(balanced=1)", 2.0}}) {
    const auto gain = make(spec, terms);
    EXPECT_NEAR(gain->gamma({.rounds = 7}, {.scaled = {0.0, 0.0}}, 4), 2.0 * k * 10.0, 1e-12);
    const Prices dear{.scaled = {1.0, 0.5}, .log_scale = std::log(3.0)};
    EXPECT_NEAR(gain->gamma({.rounds = 7}, dear, 4) / 3.0, 2.0 * k * 10.0 / 5.5, 1e-12);
  }
}

std::string saved(const Gain& gain) {
  ByteWriter out;
  gain.save(out);
  return out.bytes();
}

TEST(Gains, DefaultsAreWhatTheCatalogSaysAndEveryChoiceIsAccepted) {
  const Prices prices{.scaled = {1.0, 0.5}, .log_scale = 0.7};
  const auto gamma = [&](const std::string& spec) {
    return make(spec, terms_of(2, 3.0, 1.0))->gamma({.rounds = 40}, prices, 5);
  };
  for (const Entry& entry : gains()) {
    for (const Option& option : entry.options) {
      for (const std::string& value : values_of(option)) {
        const double with = gamma(fmt::format("{}({}={})", entry.name, option.key, value));
        if (value != option.default_value) continue;
        EXPECT_EQ(with, gamma(std::string(entry.name))) << entry.name << " " << option.key;
      }
    }
  }
}

// gamma times a gap does not depend on the unit of rewards or costs, nor on the log scale.
TEST(Gains, NoiseIsThatOfAScore) {
  const auto gain = make("noise", terms_of(1, 3.0, 1.0));
  const Books books{.rounds = 3, .noise = 0.3, .noises = {0.2}};
  const double gamma = gain->gamma(books, {.scaled = {2.0}}, 5);
  EXPECT_NEAR(gamma, 30.0 * 2.0 / 0.5, 1e-12);  // 0.3^2 + 0.4^2 = 0.5^2
  EXPECT_NEAR(gain->gamma(books, {.scaled = {1.0}, .log_scale = std::log(2.0)}, 5), 2.0 * gamma,
              1e-9);
  EXPECT_NEAR(gain->gamma(books, {.scaled = {2.0}}, 20), 4.0 * gamma, 1e-12);
  EXPECT_NEAR(gain->gamma(books, {.scaled = {2.0}}, 2), gamma, 1e-12);
  const Books rewards{.rounds = 3, .noise = 0.3 * 1000.0, .noises = {0.2}};
  EXPECT_NEAR(1000.0 * gain->gamma(rewards, {.scaled = {2000.0}}, 5), gamma, 1e-9);
  const Books exact{.rounds = 3, .noise = 0.0, .noises = {0.0}};
  EXPECT_TRUE(std::isfinite(gain->gamma(exact, {.scaled = {2.0}}, 5)));
}

TEST(Gains, EveryOneSavesAndLoadsExactly) {
  ASSERT_GE(gains().size(), 3U);
  for (const Entry& entry : gains()) {
    const auto one = make(entry.name, terms_of(2, 3.0, 1.0));
    const auto two = make(entry.name, terms_of(2, 3.0, 1.0));
    for (double l : {0.0, 2.5, 100.0, 1.0}) one->learn(l);
    const std::string bytes = saved(*one);
    ByteReader in(bytes);
    ASSERT_TRUE(two->load(in).ok());
    ASSERT_TRUE(in.finish().ok());
    EXPECT_EQ(saved(*two), bytes);
    one->learn(0.3);
    two->learn(0.3);
    const Prices prices{.scaled = {}, .log_scale = 0.7};
    EXPECT_EQ(one->gamma({.rounds = 4}, prices, 5), two->gamma({.rounds = 4}, prices, 5))
        << entry.name;
    for (const Entry& other : gains()) {
      if (other.name == entry.name) continue;
      ByteReader foreign(bytes);
      EXPECT_FALSE(make(other.name, terms_of(2, 3.0, 1.0))->load(foreign).ok());
    }
  }
}

TEST(Gains, UnknownNamesKeysAndValuesAreRefusedAndTheCatalogListsTheRest) {
  const auto refusal = [](std::string_view spec) {
    return make_gain(parse_spec(spec).value(), terms_of(1, 1.0, 1.0)).error();
  };
  EXPECT_EQ(refusal("fast"),
            "gain spec: unknown name \"fast\" at 0; accepted: " + listed_names(gains()));
  for (const Entry& entry : gains()) {
    EXPECT_EQ(listed_keys(entry), taken_keys(refusal(std::string(entry.name) + "(zzz=1)")))
        << entry.name;
  }
  EXPECT_EQ(refusal("theory(gamma=1)"),
            "gain spec: unknown key \"gamma\" at 7; theory takes no keys");
  EXPECT_EQ(refusal("constant(gamma=-1)"),
            "gain spec: key \"gamma\" has -1 at 15; accepted: a number from 0 to 1000000000000");
  EXPECT_EQ(refusal("root_t(power=2)"),
            "gain spec: key \"power\" has 2 at 13; accepted: a number from 0 to 1");
}

}  // namespace
}  // namespace rein
