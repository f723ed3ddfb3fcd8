#include "money/account.h"

#include <gtest/gtest.h>

#include "rein/bytes.h"

namespace rein {
namespace {

Accounts one(const Accounts::Rule& rule) {
  Accounts accounts(rule);
  accounts.add();
  return accounts;
}

Micro left(const Accounts& accounts) { return as_micro(accounts.balance(0).left()); }

TEST(Account, AHoldAndItsBillBelongToTheWindowOfTheDecision) {
  Accounts a = one({.amount = 100, .kept = 4});
  const auto first = a.hold(0, 30);
  EXPECT_EQ(left(a), 70);
  a.advance(1, 0);
  EXPECT_EQ(left(a), 100);  // a new window has the whole amount
  a.release(0, first, 30);
  a.book(0, first, 20);
  EXPECT_EQ(left(a), 100);
  Period windows[4];
  ASSERT_EQ(a.periods(0, windows), 2);
  EXPECT_EQ(windows[0].spent, 20);  // the late bill corrects the first window
  EXPECT_EQ(windows[0].held, 0);
  EXPECT_EQ(a.spent_ever(0), 20);
}

TEST(Account, CarryAddsWhatIsLeftAndWhatAHoldFreesLater) {
  Accounts a = one({.amount = 100, .carry = true, .kept = 4});
  const auto first = a.hold(0, 30);
  a.book(0, first, 50);
  a.advance(1, 0);
  EXPECT_EQ(left(a), 120);  // 100 and 100 - 50 - 30
  a.release(0, first, 30);
  a.book(0, first, 5);
  EXPECT_EQ(left(a), 145);
  a.book(0, first, -50);  // a refund of the first window
  EXPECT_EQ(left(a), 195);
}

TEST(Account, CarryTakesDebtsAlongAndWindowsInWhichNothingHappened) {
  Accounts a = one({.amount = 100, .carry = true, .kept = 2});
  a.book(0, a.hold(0, 0), 130);
  a.advance(1, 0);
  EXPECT_EQ(left(a), 70);
  a.advance(5, 0);
  EXPECT_EQ(left(a), 470);
}

TEST(Account, ABillForAForgottenWindowIsStillCounted) {
  Accounts a = one({.amount = 100, .kept = 2});
  const auto first = a.hold(0, 30);
  for (int n = 1; n < 6; ++n) {
    a.advance(n, 0);
    a.hold(0, 1);
  }
  a.release(0, first, 30);
  a.book(0, first, 30);
  EXPECT_EQ(left(a), 99);
  EXPECT_EQ(a.spent_ever(0), 30);
}

TEST(Account, ARollingWindowCountsItsBuckets) {
  Accounts a = one({.amount = 100, .rolling = true, .kept = 4});
  for (int bucket = 0; bucket < 4; ++bucket) {
    a.advance(bucket, 0);
    a.book(0, a.hold(0, 0), 10);
  }
  EXPECT_EQ(left(a), 60);
  a.advance(5, 3);  // only the newest of them is left
  EXPECT_EQ(left(a), 90);
  a.book(0, 0, 50);  // a bill for a bucket that has left
  EXPECT_EQ(left(a), 90);
  EXPECT_EQ(a.spent_ever(0), 90);
}

TEST(Account, ATopUpIsForThisWindowAndAnAmountForAll) {
  Accounts a = one({.amount = 100, .kept = 2});
  a.top_up(0, 10);
  EXPECT_EQ(left(a), 110);
  a.set_amount(50);
  EXPECT_EQ(left(a), 60);
  a.advance(1, 0);
  EXPECT_EQ(left(a), 50);
}

TEST(Account, ATopUpOfARollingWindowLeavesWithItsBucket) {
  Accounts a = one({.amount = 100, .rolling = true, .kept = 4});
  a.top_up(0, 10);
  a.advance(2, 0);
  a.hold(0, 0);
  a.set_amount(50);
  EXPECT_EQ(left(a), 60);
  a.advance(4, 1);
  EXPECT_EQ(left(a), 50);
}

TEST(Account, SavesAndLoadsAllButTheHolds) {
  Accounts a = one({.amount = 100, .carry = true, .kept = 3});
  const auto first = a.hold(0, 30);
  a.advance(1, 0);
  a.book(0, a.hold(0, 7), 12);
  ByteWriter out;
  a.save(out);
  Accounts b({.amount = 1, .carry = true, .kept = 3});
  ByteReader in(out.bytes());
  b.load(in).check();
  in.finish().check();
  b.restore_hold(0, first, 30);
  b.restore_hold(0, 1, 7);
  EXPECT_EQ(left(b), left(a));
  EXPECT_EQ(b.spent_ever(0), a.spent_ever(0));
  ByteWriter again;
  b.save(again);
  EXPECT_EQ(again.bytes(), out.bytes());
}

TEST(Account, RefusesDamagedBytes) {
  Accounts a = one({.amount = 100, .kept = 3});
  ByteWriter out;
  a.save(out);
  for (std::size_t i = 0; i < out.bytes().size(); i += 8) {
    std::string bytes = out.bytes();
    bytes[i + 7] = '\x7f';
    Accounts b({.amount = 1, .kept = 3});
    ByteReader in(bytes);
    if (b.load(in).ok()) {
      for (int slot = 0; slot < b.size(); ++slot) b.book(slot, b.hold(slot, 1), 1);
    }
  }
}

}  // namespace
}  // namespace rein
