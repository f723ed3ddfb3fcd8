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
