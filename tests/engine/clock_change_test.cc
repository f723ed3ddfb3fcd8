// Days of 23 and 25 hours, and of 24 and a half: a day is a day of the calendar, for hard and for
// steered budgets, with and without carry, for everybody and per key.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/life.h"
#include "engine/shop.h"
#include "engine/windows.h"

namespace rein {
namespace {

// The second at which a day begins, then the day of the change, the next one, and the end of that. They
// are those of the time zone database, by Python's zoneinfo.
struct ClockChange {
  const char* zone;
  std::array<std::int64_t, 4> begins;
};
constexpr ClockChange kClockChanges[] = {
    {"Europe/Berlin", {1'806'102'000, 1'806'188'400, 1'806'271'200, 1'806'357'600}},
    {"Europe/Berlin", {1'824'847'200, 1'824'933'600, 1'825'023'600, 1'825'110'000}},
    {"America/New_York", {1'804'914'000, 1'805'000'400, 1'805'083'200, 1'805'169'600}},
    {"America/New_York", {1'825'473'600, 1'825'560'000, 1'825'650'000, 1'825'736'400}},
    {"Asia/Beirut", {1'806'098'400, 1'806'184'800, 1'806'267'600, 1'806'354'000}},  // no midnight
    {"America/Havana", {1'825'473'600, 1'825'560'000, 1'825'650'000, 1'825'736'400}},  // it comes twice
    {"Australia/Lord_Howe", {1'806'670'800, 1'806'757'200, 1'806'845'400, 1'806'931'800}},
    {"Australia/Lord_Howe", {1'822'397'400, 1'822'483'800, 1'822'568'400, 1'822'654'800}},
};

struct ClockChangeCase {
  ClockChange change;
  bool hard = false, carry = false, keyed = false;
};

class ClockChanges : public testing::TestWithParam<ClockChangeCase> {
 protected:
  Engine engine_of() const {
    Budget budget = dollars("day", 5, Window::day(GetParam().change.zone));
    budget.kind = GetParam().hard ? BudgetKind::kHard : BudgetKind::kSteer;
    budget.carry = GetParam().carry;
    if (GetParam().keyed) budget.scope = "tenant";
    return Engine::make("ccb", small_shape(), with({budget})).value();
  }
  std::span<const Scope> who() const {
    return GetParam().keyed ? std::span<const Scope>(acme_) : std::span<const Scope>();
  }
  BudgetState day(const Engine& engine) const { return engine.budgets(who()).value()[0]; }
  void spend_one(Engine& engine, Life& life) const {
    const std::vector<double> x = context_of(0);
    const std::uint64_t id =
        engine.decide({.actions = 3, .context = x}, {.scopes = who()}).value().id;
    life.note(engine);
    engine.learn(id, {.reward = 0, .costs = {1}}).check();
    life.note(engine);
  }

  const std::array<Scope, 1> acme_ = {Scope{"tenant", "acme"}};
};

TEST_P(ClockChanges, EveryDayHasItsAmountOnceFromItsFirstSecondToItsLast) {
  Engine engine = engine_of();
  Life life;
  const auto& begins = GetParam().change.begins;
  engine.tick(begins[0] + 3600).check();
  life.note(engine);
  std::int64_t limit = 5'000'000;
  for (std::size_t n = 0; n < 3; ++n) {
    const std::int64_t last = begins[n + 1] - 1;
    bool spent = false;
    for (std::int64_t now = std::max(begins[n], begins[0] + 3600); now <= last;
         now = now == last ? last + 1 : std::min(now + 1800, last)) {
      engine.tick(now).check();
      life.note(engine);
      if (!spent) spend_one(engine, life);
      spent = true;
      SCOPED_TRACE(testing::Message() << "day " << n << ", second " << now - begins[n]);
      ASSERT_EQ(day(engine).limit, limit);
      ASSERT_EQ(day(engine).spent, 1'000'000);
      ASSERT_EQ(day(engine).first, begins[n]);
      ASSERT_EQ(day(engine).last, last);
      if (GetParam().hard && now == last) {
        ASSERT_EQ(fitting(engine, who()), limit / 1'000'000 - 1);
      }
    }
    life.snapshot(engine);
    limit = 5'000'000 + (GetParam().carry ? limit - 1'000'000 : 0);
  }
  EXPECT_EQ(life.replay(engine_of()), engine.state_hash());
  EXPECT_EQ(life.replay_from(1), engine.state_hash());
}

// Nobody asks for two days, so the window of the change is never open.
TEST_P(ClockChanges, APauseOverTheChangeGrantsADayPerDay) {
  Engine engine = engine_of();
  const auto& begins = GetParam().change.begins;
  Life life;
  engine.tick(begins[0]).check();
  spend_one(engine, life);
  engine.tick(begins[3] - 1).check();
  EXPECT_EQ(day(engine).limit, GetParam().carry ? 14'000'000 : 5'000'000);
  EXPECT_EQ(day(engine).first, begins[2]);
  engine.tick(begins[3]).check();
  EXPECT_EQ(day(engine).limit, GetParam().carry ? 19'000'000 : 5'000'000);
}

// The bill of a decision of the last second belongs to its day, and with carry to the days after it.
TEST_P(ClockChanges, ALateBillIsOfItsDay) {
  Engine engine = engine_of();
  const auto& begins = GetParam().change.begins;
  engine.tick(begins[2] - 1).check();
  const std::vector<double> x = context_of(0);
  const std::uint64_t id = engine.decide({.actions = 3, .context = x}, {.scopes = who()}).value().id;
  engine.tick(begins[2]).check();
  engine.learn(id, {.reward = 0, .costs = {1}}).check();
  EXPECT_EQ(day(engine).spent, 0);
  EXPECT_EQ(day(engine).limit, GetParam().carry ? 9'000'000 : 5'000'000);
}

std::vector<ClockChangeCase> clock_change_cases() {
  std::vector<ClockChangeCase> cases;
  for (const ClockChange& change : kClockChanges) {
    for (int bits = 0; bits < 8; ++bits) {
      cases.push_back({change, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ClockChanges, testing::ValuesIn(clock_change_cases()),
                         [](const auto& given) {
                           const ClockChangeCase& one = given.param;
                           std::string name = one.change.zone;
                           std::ranges::replace(name, '/', '_');
                           return name + std::to_string(one.change.begins[0]) +
                                  (one.hard ? "hard" : "steered") + (one.carry ? "carry" : "") +
                                  (one.keyed ? "keyed" : "");
                         });

// A week and a month over a change are as long as they are, and the money of what is left of them is
// carried once.
TEST(ClockChangesOfWeeks, CarryOncePerWeekAndMonth) {
  for (const ClockChange& change : kClockChanges) {
    SCOPED_TRACE(change.zone);
    Budget week = dollars("week", 7, Window::week(change.zone));
    Budget month = dollars("month", 30, Window::month(change.zone));
    week.carry = month.carry = true;
    Engine engine = small_engine(with({week, month}));
    constexpr std::int64_t kHour = 3600;
    const std::int64_t from = change.begins[1] - 60 * 24 * kHour;
    std::int64_t weeks = 0, months = 0, week_first = -1, month_first = -1;
    for (std::int64_t now = from; now < from + 120 * 24 * kHour; now += kHour) {
      engine.tick(now).check();
      const auto budgets = engine.budgets({}).value();
      weeks += budgets[0].first != week_first ? 1 : 0;
      months += budgets[1].first != month_first ? 1 : 0;
      week_first = budgets[0].first;
      month_first = budgets[1].first;
      ASSERT_EQ(budgets[0].limit, weeks * 7'000'000);
      ASSERT_EQ(budgets[1].limit, months * 30'000'000);
      const std::int64_t hours = (budgets[0].last + 1 - budgets[0].first) / kHour;
      ASSERT_TRUE(hours >= 167 && hours <= 169) << hours;
    }
    EXPECT_GE(weeks, 17);
    EXPECT_GE(months, 4);
  }
}

// A steered day spends its amount by its last hour, whatever its length.
TEST(ClockChangesOfSteeredDays, SpendTheAmountOfTheDay) {
  for (const bool carry : {false, true}) {
    for (const ClockChange& change : {kClockChanges[0], kClockChanges[1]}) {
      SCOPED_TRACE(testing::Message() << change.begins[0] << (carry ? ", carry" : ""));
      Budget budget = steer("day", 400, Window::day(change.zone));
      budget.carry = carry;
      Engine engine = made({budget});
      Shop shop;
      constexpr double kStep = 86.4;
      for (std::int64_t day = -7; day < 3; ++day) {
        const auto at = [&](std::int64_t n) {
          return n < 0 ? change.begins[0] + n * 86'400 : change.begins[static_cast<std::size_t>(n)];
        };
        double spent = 0.0;
        const auto end = static_cast<double>(at(day + 1));
        for (auto now = static_cast<double>(at(day)); now < end; now += kStep) {
          engine.tick(static_cast<std::int64_t>(std::ceil(now))).check();
          spent += shop.play(engine);
        }
        EXPECT_NEAR(spent, 400, day < -5 ? 40 : 20) << "day " << day;
      }
    }
  }
}

}  // namespace
}  // namespace rein
