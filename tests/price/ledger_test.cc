#include "price/ledger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>

#include "property.h"
#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Ledger ledger_of(std::vector<Micro> limits) { return Ledger(limits); }

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

TEST(Micros, NeverDecreaseAsTheAmountGrows) {
  EXPECT_TRUE(rc::check([] {
    const double base = *rc::gen::inRange(-2'000'000, 2'000'000) / 1e6;
    const double scale = std::ldexp(1.0, *rc::gen::inRange(0, 40));
    double x = base * scale;
    for (int step = 0; step < 50; ++step) {
      const double next = std::nextafter(x, kInfinity);
      RC_ASSERT(micros_up(x).value() <= micros_up(next).value());
      RC_ASSERT(micros_down(x).value() <= micros_down(next).value());
      RC_ASSERT(micros_down(x).value() <= micros_up(x).value());
      x = next;
    }
  }));
}

TEST(Ledger, HoldsUpToTheLimitAndNotOneMore) {
  Ledger ledger = ledger_of({10});
  EXPECT_TRUE(ledger.hold({7}));
  EXPECT_FALSE(ledger.fits({4}));
  auto refused = ledger.hold({4});
  EXPECT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kBudget);
  EXPECT_EQ(ledger.held(0), 7);
  EXPECT_TRUE(ledger.hold({3}));
  EXPECT_EQ(ledger.left(0), 0);
  EXPECT_FALSE(ledger.hold({1}));
  EXPECT_TRUE(ledger.hold({0}));
}

TEST(Ledger, SettlingGivesBackTheRest) {
  Ledger ledger = ledger_of({10});
  ledger.hold({7}).check();
  ledger.settle({7}, {2}).check();
  EXPECT_EQ(ledger.spent(0), 2);
  EXPECT_EQ(ledger.held(0), 0);
  EXPECT_EQ(ledger.left(0), 8);
}

TEST(Ledger, MoreThanWasHeldIsRefusedAndChangesNothing) {
  Ledger ledger = ledger_of({10, 10});
  ledger.hold({7, 7}).check();
  EXPECT_FALSE(ledger.settle({7, 7}, {2, 8}));
  EXPECT_EQ(ledger.spent(0), 0);
  EXPECT_EQ(ledger.held(0), 7);
  EXPECT_THROW(ledger.settle({8, 7}, {0, 0}).check(), Bug);
}

TEST(Ledger, EveryCostMustFit) {
  Ledger ledger = ledger_of({10, 3});
  EXPECT_FALSE(ledger.hold({1, 4}));
  EXPECT_EQ(ledger.held(0), 0);
  EXPECT_TRUE(ledger.hold({10, 3}));
}

TEST(Ledger, RefundsLowerWhatWasSpent) {
  Ledger ledger = ledger_of({10});
  ledger.hold({10}).check();
  ledger.settle({10}, {-5}).check();
  EXPECT_EQ(ledger.spent(0), -5);
  EXPECT_TRUE(ledger.hold({15}));
  EXPECT_FALSE(ledger.hold({1}));
}

TEST(Ledger, SumsMayPass64Bits) {
  Ledger ledger = ledger_of({kNoLimit, kMaxMicro});
  for (int n = 0; n < 8; ++n) ledger.hold({kMaxMicro, 0}).check();
  EXPECT_EQ(ledger.held(0), INT64_MAX) << "as much as can be said";
  EXPECT_EQ(ledger.left(0), kNoLimit);
  for (int n = 0; n < 8; ++n) ledger.settle({kMaxMicro, 0}, {kMaxMicro, -kMaxMicro}).check();
  EXPECT_EQ(ledger.spent(0), INT64_MAX);
  EXPECT_EQ(ledger.spent(1), INT64_MIN);
  EXPECT_EQ(ledger.held(0), 0);
  // Nothing was lost: eight more in the other direction, and it is 0 again.
  for (int n = 0; n < 8; ++n) {
    ledger.hold({0, kMaxMicro}).check();
    ledger.settle({0, kMaxMicro}, {-kMaxMicro, kMaxMicro}).check();
  }
  EXPECT_EQ(ledger.spent(0), 0);
  EXPECT_EQ(ledger.spent(1), 0);
}

TEST(Ledger, SavesSumsOfAnySize) {
  Ledger ledger = ledger_of({kNoLimit, 10});
  for (int n = 0; n < 4; ++n) {
    ledger.hold({kMaxMicro, 2}).check();
    ledger.settle({kMaxMicro, 2}, {kMaxMicro, -3}).check();
  }
  ByteWriter out;
  ledger.save(out);
  Ledger other = ledger_of({kNoLimit, 10});
  ByteReader in(out.bytes());
  ASSERT_TRUE(other.load(in).ok());
  for (int n = 0; n < 4; ++n) {
    other.hold({0, 3}).check();
    other.settle({0, 3}, {-kMaxMicro, 3}).check();
  }
  EXPECT_EQ(other.spent(0), 0);
  EXPECT_EQ(other.spent(1), 0);
}

TEST(Ledger, RestoreRefusesMoreThanTheLimit) {
  Ledger ledger = ledger_of({10});
  EXPECT_FALSE(ledger.restore({11}));
  EXPECT_TRUE(ledger.restore({10}));
  EXPECT_FALSE(ledger.hold({1}));
}

// For any holds, any order of settling and any cost: never over the limit by a micro-unit, and
// never refused while there is room (against plain sums of all open holds).
TEST(Ledger, NeverPassesTheLimitAndNeverRefusesWhatFits) {
  EXPECT_TRUE(rc::check([] {
    const Micro limit = *rc::gen::inRange<Micro>(0, 1'000);
    Ledger ledger = ledger_of({limit});
    Rng rng(*rc::gen::arbitrary<std::uint64_t>());
    std::deque<Micro> open;
    Micro spent = 0;
    Micro held = 0;
    for (int step = 0; step < 500; ++step) {
      if (rng.uniform() < 0.6) {
        const Micro largest = rng.below(50);
        const bool fits = spent + held + largest <= limit;
        RC_ASSERT(ledger.hold({largest}).ok() == fits);
        if (!fits) continue;
        open.push_back(largest);
        held += largest;
      } else if (!open.empty()) {
        const auto which = rng.below(static_cast<std::int64_t>(open.size()));
        const Micro largest = open[static_cast<std::size_t>(which)];
        open.erase(open.begin() + which);
        const Micro actual = rng.uniform() < 0.5 ? largest : largest - rng.below(100);
        ledger.settle({largest}, {actual}).check();
        held -= largest;
        spent += actual;
      }
      RC_ASSERT(ledger.spent(0) == spent);
      RC_ASSERT(ledger.held(0) == held);
      RC_ASSERT(ledger.spent(0) + ledger.held(0) <= limit);
      RC_ASSERT(ledger.left(0) == limit - spent - held);
    }
  }));
}

}  // namespace
}  // namespace rein
