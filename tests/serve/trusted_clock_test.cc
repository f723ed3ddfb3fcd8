#include "serve/trusted_clock.h"

#include <gtest/gtest.h>

#include "serve/model_life.h"

namespace rein::serve {
namespace {

constexpr std::int64_t kClockStart = 1'795'019'800;  // in November 2026
constexpr std::int64_t kHour = 3600, kClockDay = 86'400, kYear = 365 * kClockDay;

TEST(TrustedClock, FollowsAClockThatDoesNotJump) {
  TrustedClock clock;
  for (std::int64_t n = 0; n < 100'000; n += 700) EXPECT_EQ(clock.read(kClockStart + n, n), kClockStart + n);
  EXPECT_FALSE(clock.doubts());
}

TEST(TrustedClock, AJumpWithinTheLimitIsBelievedAtOnce) {
  TrustedClock clock;
  clock.read(kClockStart, 0);
  EXPECT_EQ(clock.read(kClockStart + kHour + 5, 5), kClockStart + kHour + 5);
  EXPECT_EQ(clock.read(kClockStart + 6, 6), kClockStart + 6);
}

// Two days within a second, by jumps of less than an hour, opened two windows of a day budget.
TEST(TrustedClock, JumpsWithinTheLimitDoNotAddUp) {
  TrustedClock clock;
  clock.read(kClockStart, 0);
  for (std::int64_t n = 1; n <= 48; ++n) {
    EXPECT_LE(clock.read(kClockStart + n * (kHour - 100), n), kClockStart + n + kHour);
  }
  EXPECT_TRUE(clock.doubts());
  EXPECT_EQ(clock.read(kClockStart + 60, 60), kClockStart + 60) << "it was mended";
  EXPECT_FALSE(clock.doubts());
}

TEST(TrustedClock, AJumpWithinTheLimitPerLimitOfTimeIsBelieved) {
  TrustedClock clock;
  clock.read(kClockStart, 0);
  std::int64_t wall = kClockStart;
  for (std::int64_t steady = 60; steady < 10 * kHour; steady += 60) {
    wall += steady % (2 * kHour) == 0 ? 60 + kHour - 1 : 60;  // a jump every two hours
    EXPECT_EQ(clock.read(wall, steady), wall);
  }
}

TEST(TrustedClock, TimeGoesOnByTheMonotonicClockWhileAJumpIsDoubted) {
  for (const std::int64_t jump : {10 * kYear, 2 * kHour, -2 * kHour, -kClockStart}) {
    TrustedClock clock;
    clock.read(kClockStart, 0);
    EXPECT_EQ(clock.read(kClockStart + jump + 10, 10), kClockStart + 10);
    EXPECT_TRUE(clock.doubts());
    EXPECT_EQ(clock.read(kClockStart + 20, 20), kClockStart + 20) << "it was mended";
    EXPECT_FALSE(clock.doubts());
  }
}

TEST(TrustedClock, AJumpThatLastsIsBelieved) {
  TrustedClock clock;
  clock.read(kClockStart, 0);
  EXPECT_EQ(clock.read(kClockStart + kYear, 0), kClockStart);
  EXPECT_EQ(clock.read(kClockStart + kYear + kHour - 1, kHour - 1), kClockStart + kHour - 1);
  EXPECT_EQ(clock.read(kClockStart + kYear + kHour, kHour), kClockStart + kYear + kHour);
  EXPECT_FALSE(clock.doubts());
}

TEST(TrustedClock, AClockThatJumpsAgainAndAgainIsNotBelieved) {
  TrustedClock clock;
  clock.read(kClockStart, 0);
  for (std::int64_t n = 1; n < 20; ++n) {
    const std::int64_t steady = n * (kHour - 60);
    EXPECT_EQ(clock.read(kClockStart + n * kYear, steady), kClockStart + steady);
  }
}

TEST(TrustedClock, AfterDowntimeAReadingUpToAMonthAheadOfTheJournalIsBelieved) {
  for (const std::int64_t pause : {std::int64_t{0}, kHour, 7 * kClockDay, 31 * kClockDay}) {
    TrustedClock clock;
    clock.begin_after(kClockStart);
    EXPECT_EQ(clock.read(kClockStart + pause, 100), kClockStart + pause);
  }
}

TEST(TrustedClock, AtTheStartTenYearsAheadMustLast) {
  TrustedClock clock;
  clock.begin_after(kClockStart);
  EXPECT_EQ(clock.read(kClockStart + 10 * kYear, 100), kClockStart);
  EXPECT_EQ(clock.read(kClockStart + 10 * kYear + kHour, 100 + kHour), kClockStart + 10 * kYear + kHour);
}

TEST(TrustedClock, WhoeverKnowsEndsTheDoubt) {
  TrustedClock clock;
  clock.read(kClockStart, 0);
  clock.read(kClockStart + kYear, 1);
  clock.believe(kClockStart + kYear, 1);
  EXPECT_FALSE(clock.doubts());
  EXPECT_EQ(clock.read(kClockStart + kYear + 1, 2), kClockStart + kYear + 1);
}

constexpr const char* kJumpDocument =
    R"({"actions":2,"costs":{"dollars":[0,1]},"reward":[0,1],"seed":3,
        "budgets":[{"name":"day","cost":"dollars","amount":5,"hard":true,"per":"day"}]})";

class JumpTest : public ModelOnClocks {
 protected:
  JumpTest() : ModelOnClocks(kJumpDocument, kClockStart, true) {}
  HttpResponse decide(Model& model) { return ask(model, post("decide", "{}")); }
  void pass(std::int64_t passing) {
    wall_ += passing;
    steady_ += passing;
  }
  static Ask now(const char* body = R"({"clock":"now"})") {
    return {.method = "PATCH", .body = body};
  }
  BudgetState day(const Model& model) const {
    return const_cast<Model&>(model).engine().state().budgets[0];
  }
};

TEST_F(JumpTest, ABadReadingOpensNoWindowAndTimeGoesOn) {
  auto model = made();
  wall_ += 10 * kYear;
  pass(60);
  EXPECT_EQ(decide(*model).status, 200);
  EXPECT_EQ(model->now(), kClockStart + 60);
  EXPECT_EQ(model->clock_lag(), 10 * kYear);
  EXPECT_EQ(day(*model).window, 0);
  wall_ -= 10 * kYear;
  pass(60);
  EXPECT_EQ(decide(*model).status, 200);
  EXPECT_EQ(model->clock_lag(), 0);
  EXPECT_EQ(model->now(), kClockStart + 120);
}

TEST_F(JumpTest, AnAdminSaysThatTheClockIsRight) {
  auto model = made();
  wall_ += 2 * kYear;
  decide(*model);
  ASSERT_EQ(model->now(), kClockStart);
  EXPECT_EQ(ask(*model, now()).status, 200);
  EXPECT_EQ(model->now(), wall_);
  EXPECT_EQ(model->clock_lag(), 0);
  EXPECT_EQ(day(*model).window, 730);
  EXPECT_EQ(hash_of_fold(*journal_), model->state().hash());
}

TEST_F(JumpTest, AModelInTheFutureIsSetBackAndGetsNoMoneyForIt) {
  auto model = made();
  for (int n = 0; n < 2; ++n) EXPECT_EQ(decide(*model).status, 200);
  wall_ += 10 * kYear;
  decide(*model);
  pass(kHour);  // it has lasted
  EXPECT_EQ(decide(*model).status, 200);
  EXPECT_GT(day(*model).window, 3000);
  wall_ -= 10 * kYear;
  for (int n = 0; n < 3; ++n) {
    pass(kHour);
    decide(*model);
  }
  EXPECT_GT(model->now(), wall_ + 9 * kYear);
  EXPECT_LT(model->clock_lag(), -9 * kYear);
  const HttpResponse answer = ask(*model, now(R"({"clock":"now","request_id":"r1"})"));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(model->now(), wall_);
  const BudgetState after = day(*model);
  EXPECT_EQ(after.window, 0);
  EXPECT_LE(after.first, wall_);
  EXPECT_GE(after.last, wall_);
  EXPECT_EQ(after.limit, 5'000'000);
  // Three before the window of 2036, which expired on the way there, and four in it.
  EXPECT_EQ(after.held + after.spent, 7'000'000);
  EXPECT_EQ(decide(*model).status, 429);
  const std::int64_t entries = model->entries();
  EXPECT_EQ(ask(*model, now(R"({"clock":"now","request_id":"r1"})")).body, answer.body);
  EXPECT_EQ(model->entries(), entries) << "a repeated request changes nothing";
  pass(kClockDay);
  EXPECT_EQ(decide(*model).status, 200);
  EXPECT_EQ(hash_of_fold(*journal_), model->state().hash());
  const std::uint64_t hash = model->state().hash();
  EXPECT_EQ(opened()->state().hash(), hash);
}

TEST_F(JumpTest, AServiceThatWasDownForAWeekGoesOnAtOnce) {
  auto model = made();
  decide(*model);
  wall_ += 7 * kClockDay;
  steady_ = 3;  // another boot
  model = opened();
  EXPECT_EQ(decide(*model).status, 200);
  EXPECT_EQ(model->now(), wall_);
}

TEST_F(JumpTest, AStartUnderAClockYearsAheadWaitsUntilItHasLasted) {
  auto model = made();
  decide(*model);
  wall_ += 10 * kYear;
  model = opened();
  EXPECT_EQ(decide(*model).status, 200);
  pass(10);
  EXPECT_EQ(decide(*model).status, 200);
  EXPECT_EQ(model->now(), kClockStart + 10);
  pass(kHour);
  EXPECT_EQ(decide(*model).status, 200);
  EXPECT_EQ(model->now(), wall_);
}

TEST_F(JumpTest, ClockTakesOnlyNow) {
  auto model = made();
  EXPECT_EQ(ask(*model, now(R"({"clock":"2026"})")).status, 400);
  EXPECT_EQ(ask(*model, now(R"({"clock":"now","mode":"online"})")).status, 400);
  EXPECT_EQ(ask(*model, now()).status, 200);
  EXPECT_EQ(hash_of_fold(*journal_), model->state().hash());
}

}  // namespace
}  // namespace rein::serve
