#include "money/micros.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rein/rng.h"

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Micros, DecimalsAreWhatTheySay) {
  // The nearest doubles lie slightly above or below these numbers; amounts are meant in decimals.
  for (int n = 1; n <= 1'000'000; n += 7) {
    ASSERT_EQ(micros_up(n / 1e6).value(), n);
    ASSERT_EQ(micros_down(n / 1e6).value(), n);
    ASSERT_EQ(micros_up(-n / 1e6).value(), -n);
  }
  EXPECT_EQ(micros_up(0.07).value(), 70'000);
  EXPECT_EQ(micros_up(123'456'789.654321).value(), 123'456'789'654'321);
}

// Up to 2^33 every number with six decimals has its own double.
TEST(Micros, SixDecimalsAreExactUpTo2To33) {
  Rng rng(4);
  constexpr Micro kEnd = (Micro{1} << 33) * 1'000'000;
  for (int n = 0; n < 200'000; ++n) {
    const Micro most = n % 2 == 0 ? kEnd : Micro{1} << rng.below(53);
    const Micro micros = rng.below(std::min(most, kEnd));
    const double amount = static_cast<double>(micros) / 1e6;  // as a parser gives it
    ASSERT_EQ(micros_up(amount).value(), micros) << amount;
    ASSERT_EQ(micros_down(amount).value(), micros) << amount;
    ASSERT_EQ(micros_up(-amount).value(), -micros) << amount;
  }
}

// Any other double counts at least its exact value: 80 bits hold its product with 10^6.
TEST(Micros, OtherAmountsAreNeverCountedForLess) {
  EXPECT_EQ(micros_up(549755.81388800044).value(), 549'755'813'889);
  EXPECT_EQ(micros_down(549755.81388800044).value(), 549'755'813'888);
  Rng rng(8);
  for (int n = 0; n < 200'000; ++n) {
    const double amount = std::ldexp(0.5 + 0.5 * rng.uniform(), static_cast<int>(rng.below(42)));
    const Micro up = micros_up(amount).value();
    const Micro down = micros_down(amount).value();
    const long double exact = static_cast<long double>(amount) * 1e6L;  // 53 + 14 bits: to 2^-11
    if (up == down) {
      ASSERT_LE(std::abs(static_cast<long double>(up) / 1e6L - amount),
                0.5L * (std::nextafter(amount, kInfinity) - amount))
          << amount;
      continue;
    }
    ASSERT_EQ(up, down + 1) << amount;
    ASSERT_GE(static_cast<long double>(up) + 0.001L, exact) << amount;
    ASSERT_LE(static_cast<long double>(down), exact + 0.001L) << amount;
  }
}

TEST(Micros, AmountsRoundUpAndBudgetsDown) {
  EXPECT_EQ(micros_up(0.0000011).value(), 2);
  EXPECT_EQ(micros_down(0.0000019).value(), 1);
  EXPECT_EQ(micros_up(1e-300).value(), 1);
  EXPECT_EQ(micros_up(-0.0000011).value(), -1);
  EXPECT_EQ(micros_up(0.0).value(), 0);
}

TEST(Micros, LargeAmountsAreNotMoved) {
  EXPECT_EQ(micros_up(4e12).value(), 4'000'000'000'000'000'000);
  EXPECT_EQ(micros_down(4e12).value(), 4'000'000'000'000'000'000);
  EXPECT_EQ(micros_up(1e9 + 0x1p-20).value(), 1'000'000'000'000'001);
}

TEST(Micros, WhatCannotBeCountedIsRefused) {
  for (double bad : {kInfinity, -kInfinity, std::nan(""), 5e12, -5e12, 1e300}) {
    EXPECT_FALSE(micros_up(bad)) << bad;
    EXPECT_FALSE(micros_down(bad)) << bad;
  }
}

// A double times a power of ten as a whole number, by long multiplication: an independent way.
MicroSum exact_up(double amount, int decimals) {
  int exponent = 0;
  const double half = std::frexp(amount, &exponent);
  auto mantissa = static_cast<MicroSum>(std::ldexp(half, 53));
  exponent -= 53;
  for (int i = 0; i < decimals; ++i) mantissa *= 10;  // below 2^53 * 10^18 < 2^113
  if (exponent >= 0) return mantissa << exponent;
  const MicroSum divisor = MicroSum{1} << std::min(-exponent, 120);
  return mantissa / divisor + (mantissa % divisor > 0 ? 1 : 0);
}

TEST(Micros, AnyBillThatIsAcceptedIsBookedExactly) {
  EXPECT_EQ(bill_up(1e9, 1e16).value(), MicroSum{1'000'000'000} * 10'000'000'000'000'000);
  Rng rng(9);
  for (int n = 0; n < 200'000; ++n) {
    const int decimals = 6 + static_cast<int>(rng.below(13));
    const double coins = std::pow(10.0, decimals);
    const double amount = std::ldexp(0.5 + 0.5 * rng.uniform(), static_cast<int>(rng.below(60)) - 15);
    const auto bill = bill_up(amount, coins);
    ASSERT_EQ(bill.ok(), amount <= most_bill(coins)) << amount << " in " << coins;
    if (!bill) continue;
    const MicroSum exact = exact_up(amount, decimals), found = bill.value();
    // Below 2^33 micro-units an amount is the decimal that its double is nearest to.
    if (amount * coins >= 0x1p53) {
      ASSERT_TRUE(found == exact) << amount << " in " << coins;
    } else {
      ASSERT_LE(found > exact ? found - exact : exact - found, 1) << amount << " in " << coins;
    }
  }
}

TEST(Micros, ABillAboveTheLimitIsRefusedAndTheLimitNamed) {
  EXPECT_EQ(bill_up(5e12, 1e6).error(),
            "money: found 5000000000000; accepted: -4611686018427.388 to 4611686018427.388");
  EXPECT_TRUE(bill_up(4.6e12, 1e6).ok());
  EXPECT_FALSE(bill_up(2e10, 1e18).ok());
  EXPECT_TRUE(bill_up(1.9e10, 1e18).ok());
  EXPECT_TRUE(bill_up(-1.9e10, 1e18).ok());
  EXPECT_FALSE(bill_up(std::nan(""), 1e18).ok());
}

}  // namespace
}  // namespace rein
