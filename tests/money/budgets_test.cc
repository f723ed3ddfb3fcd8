#include "money/budgets.h"

#include <gtest/gtest.h>

#include "rein/bytes.h"

namespace rein {
namespace {

constexpr Micro kOne = 1'000'000;

Shape shape_of() {
  Shape shape;
  shape.actions = 2;
  shape.costs = {{.name = "dollars"}, {.name = "mails"}};
  return shape;
}

Budgets made(std::vector<Budget> budgets, BudgetOptions options = {}) {
  return Budgets::make(budgets, shape_of(), options).value();
}

Budget hard(double amount, Window window = {}, std::string scope = "") {
  return {.name = "b",
          .cost = "dollars",
          .amount = amount,
          .kind = BudgetKind::kHard,
          .window = window,
          .scope = std::move(scope)};
}

Holds holds(Micro largest, Micro expected = 0) {
  return {.largest = {largest}, .expected = {expected}};
}

std::string refusal(std::vector<Budget> budgets) {
  const auto refused = Budgets::make(budgets, shape_of());
  return refused ? "accepted" : refused.error();
}

TEST(Budgets, ALateBillCorrectsTheWindowOfItsDecision) {
  Budgets b = made({hard(5, Window::rounds(2))});
  Claim claim = b.take({}, holds(2 * kOne));
  b.advance(2, 0);
  EXPECT_EQ(b.left({})[0], 5 * kOne);
  EXPECT_FALSE(b.pay(claim, 0, kOne));
  const auto windows = b.windows(0, {});
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].spent, kOne);
  EXPECT_EQ(windows[1].spent, 0);
}

TEST(Budgets, AnExpiredHardHoldIsSpentUntilItsBillComes) {
  Budgets b = made({hard(5)});
  Claim claim = b.take({}, holds(2 * kOne));
  b.expire(claim, 0);
  EXPECT_EQ(b.left({})[0], 3 * kOne);
  b.pay(claim, 0, kOne / 2);
  EXPECT_EQ(b.left({})[0], 4 * kOne + kOne / 2);
}

TEST(Budgets, AnExpiredSteeredHoldIsReleasedAndALateBillBooked) {
  Budget steer = hard(5);
  steer.kind = BudgetKind::kSteer;
  Budgets b = made({steer});
  Claim claim = b.take({}, holds(2 * kOne, kOne));
  EXPECT_EQ(b.balance(0, {}).left(), 4 * kOne);
  b.expire(claim, 0);
  EXPECT_EQ(b.balance(0, {}).left(), 5 * kOne);
  b.pay(claim, 0, 3 * kOne);
  EXPECT_EQ(b.balance(0, {}).left(), 2 * kOne);
  EXPECT_EQ(b.left({})[0], kNoLimit);
}

TEST(Budgets, GivingUpReleasesTheHoldAndBooksNothing) {
  Budgets b = made({hard(5)});
  Claim claim = b.take({}, holds(2 * kOne));
  b.give_up(claim, 0);
  EXPECT_EQ(b.left({})[0], 5 * kOne);
}

TEST(Budgets, ABillAboveItsHoldIsBookedInFullAndCounted) {
  Budgets b = made({hard(5)});
  Claim claim = b.take({}, holds(5 * kOne));
  EXPECT_TRUE(b.pay(claim, 0, 7 * kOne));
  EXPECT_EQ(b.over_holds(0), 1);
  EXPECT_EQ(b.left({})[0], 0);
  EXPECT_EQ(b.balance(0, {}).left(), -2 * kOne);
}

TEST(Budgets, TheTightestOfSeveralBudgetsDecides) {
  Budget day = hard(5, Window::ticks(10)), month = hard(8, Window::ticks(300));
  month.name = "month";
  Budgets b = made({day, month});
  Claim first = b.take({}, holds(5 * kOne));
  b.pay(first, 0, 5 * kOne);
  EXPECT_EQ(b.left({})[0], 0);
  b.advance(1, 10);
  EXPECT_EQ(b.left({})[0], 3 * kOne);  // of the month
}

TEST(Budgets, EveryKeyHasItsOwnMoney) {
  Budgets b = made({hard(5, Window::ticks(10), "tenant")});
  const Scope acme[] = {{"tenant", "acme"}}, other[] = {{"tenant", "other"}};
  const ScopeKeys keys = b.keys_of(acme).value();
  Claim claim = b.take(keys, holds(4 * kOne));
  EXPECT_EQ(b.left(keys)[0], kOne);
  EXPECT_EQ(b.left(b.keys_of(other).value())[0], 5 * kOne);
  EXPECT_EQ(b.left({})[0], kNoLimit);  // a decision for nobody in particular
  b.pay(claim, 0, 4 * kOne);
  EXPECT_EQ(b.left(keys)[0], kOne);
}

TEST(Budgets, OnlyAKeyThatOwesNothingMakesRoom) {
  Budgets b = made({hard(5, Window::ticks(10), "user")}, {.most_keys = 1});
  const Scope one[] = {{"user", "1"}}, two[] = {{"user", "2"}};
  const ScopeKeys first = b.keys_of(one).value(), second = b.keys_of(two).value();
  Claim claim = b.take(first, holds(kOne));
  EXPECT_EQ(b.has_room(second).reason(), Reason::kFull);
  b.pay(claim, 0, kOne);
  EXPECT_EQ(b.has_room(second).reason(), Reason::kFull);  // spent in a window that is still open
  EXPECT_TRUE(b.has_room(first).ok());
  b.advance(1, 10);
  ASSERT_TRUE(b.has_room(second).ok());
  Claim next = b.take(second, holds(kOne));
  EXPECT_EQ(b.left(first)[0], 5 * kOne);  // the first key has left
  b.pay(next, 0, 0);
}

TEST(Budgets, SaveAndRestoreGiveTheSameMoney) {
  Budgets b =
      made({hard(5, Window::ticks(10), "user"),
            {.name = "all", .cost = "dollars", .amount = 9, .window = Window::rolling(50)}});
  const Scope who[] = {{"user", "u7"}};
  Claim claim = b.take(b.keys_of(who).value(), holds(2 * kOne, kOne));
  b.advance(1, 12);
  b.set_amount(1, 11).check();
  ByteWriter out;
  b.save(out);
  Budgets copy =
      made({hard(5, Window::ticks(10), "user"),
            {.name = "all", .cost = "dollars", .amount = 9, .window = Window::rolling(50)}});
  ByteReader in(out.bytes());
  copy.load(in).check();
  in.finish().check();
  copy.restore_hold(claim).check();
  for (int i : {0, 1})
    EXPECT_EQ(copy.balance(i, claim.keys).left(), b.balance(i, claim.keys).left());
  Claim same = claim;
  b.pay(claim, 0, kOne);
  copy.pay(same, 0, kOne);
  ByteWriter first, second;
  b.save(first);
  copy.save(second);
  EXPECT_EQ(first.bytes(), second.bytes());
}

TEST(Budgets, RefusalsSayWhatIsAccepted) {
  EXPECT_EQ(refusal({{.name = "b", .cost = "euros", .amount = 1}}),
            "budget \"b\": found cost \"euros\"; accepted: dollars, mails");
  EXPECT_EQ(refusal({hard(-1)}), "budget \"b\": found amount -1; accepted: 0 to 4611686018427.388");
  EXPECT_EQ(refusal({hard(1), hard(1)}),
            "budgets: found the name \"b\"; accepted: every budget has a name of its own");
  EXPECT_EQ(refusal({hard(1, Window::run(), "user")}),
            "budget \"b\": a hard budget per user over the whole run would keep every key for "
            "ever; accepted: a "
            "window, or kind steer");
  EXPECT_EQ(refusal({hard(1, Window::rounds(0))}),
            "budget \"b\": found a window of 0; accepted: 1 to 2^53 rounds or ticks");
  const Scope unknown[] = {{"team", "x"}};
  EXPECT_EQ(made({hard(1)}).keys_of(unknown).error(),
            "scopes: found \"team\"; accepted: none, because no budget has a scope");
}

}  // namespace
}  // namespace rein
