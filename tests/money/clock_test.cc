#include "money/clock.h"

#include <gtest/gtest.h>

#include "money/calendar.h"
#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

// Seconds since 1970 of a moment in UTC, from `date -u -d MOMENT +%s`.
constexpr std::int64_t kMar29 = 1774742400;  // 2026-03-29 00:00; Berlin moves its clocks at 01:00
constexpr std::int64_t kHour = 3600, kClockDay = 24 * kHour;

CalendarWindow window_at(const Window& window, std::int64_t now,
                         const CalendarWindow* before = nullptr) {
  return calendar_window(window, now, before).value();
}

TEST(Clock, WindowsOfRoundsAndTicksFollowByArithmetic) {
  WindowClock rounds(Window::rounds(10), 64);
  rounds.advance(9, 500);
  EXPECT_EQ(rounds.period(), 0);
  rounds.advance(10, 500);
  EXPECT_EQ(rounds.period(), 1);
  EXPECT_EQ(rounds.first(), 10);
  EXPECT_EQ(rounds.last(), 19);
  WindowClock ticks(Window::ticks(100), 64);
  ticks.advance(0, 512);
  EXPECT_EQ(ticks.period(), 5);
  EXPECT_EQ(ticks.last(), 599);
}

TEST(Clock, AWindowCanBeginAnew) {
  WindowClock clock(Window::ticks(100), 64);
  clock.advance(0, 150);
  clock.begin_anew(3, 150);
  EXPECT_EQ(clock.period(), 2);
  EXPECT_EQ(clock.first(), 150);
  clock.advance(3, 249);
  EXPECT_EQ(clock.period(), 2);
  clock.advance(3, 250);
  EXPECT_EQ(clock.period(), 3);
}

TEST(Clock, ARollingWindowNeverDropsATickThatIsStillInIt) {
  Rng rng(5);
  for (int n = 0; n < 20'000; ++n) {
    const int buckets = n % 2 == 0 ? 64 : 8;
    const std::int64_t length = 1 + rng.below(n % 3 == 0 ? 10 : 1'000'000);
    WindowClock clock(Window::rolling(length), buckets);
    const std::int64_t then = rng.below(3'000'000), now = then + rng.below(2 * length);
    clock.advance(0, then);
    const std::int64_t bucket = clock.period();
    clock.advance(0, now);
    if (now - then < length) {
      ASSERT_GE(bucket, clock.oldest());
    }
    if (bucket >= clock.oldest()) {
      ASSERT_LT(now - then, length + clock.bucket_ticks());
    }
    ASSERT_LT(clock.period() - clock.oldest(), buckets);
    ASSERT_LE(clock.bucket_ticks(), length / (buckets - 1) + 1);
  }
}

TEST(RulesWindows, DaysHave23Or25HoursWhenClocksMove) {
  const Window day = Window::day("Europe/Berlin");
  const CalendarWindow before = window_at(day, kMar29 - 2 * kHour);  // 23:00 on Saturday
  EXPECT_EQ(before.last - before.first + 1, kClockDay);
  const CalendarWindow spring = window_at(day, kMar29, &before);
  EXPECT_EQ(spring.number, 1);
  EXPECT_EQ(spring.first, kMar29 - kHour);
  EXPECT_EQ(spring.last - spring.first + 1, 23 * kHour);
  const CalendarWindow autumn = window_at(day, kMar29 + 210 * kClockDay + 12 * kHour);
  EXPECT_EQ(autumn.last - autumn.first + 1, 25 * kHour);
}

TEST(Calendar, ADayThatHasNoMidnightBeginsWhenTheClockJumps) {
  // Asuncion jumped from 2024-10-06 00:00 to 01:00 (04:00 UTC).
  const CalendarWindow jump = window_at(Window::day("America/Asuncion"), 1728187200 + kHour);
  EXPECT_EQ(jump.first, 1728187200);
  EXPECT_EQ(jump.last - jump.first + 1, 23 * kHour);
}

TEST(Calendar, WeeksBeginOnMondayAndMonthsOnTheFirst) {
  const CalendarWindow week = window_at(Window::week(), kMar29);  // a Sunday
  EXPECT_EQ(week.last, kMar29 + kClockDay - 1);
  EXPECT_EQ(week.last - week.first + 1, 7 * kClockDay);
  const CalendarWindow march = window_at(Window::month(), kMar29);
  EXPECT_EQ(march.last - march.first + 1, 31 * kClockDay);
  const CalendarWindow next_year = window_at(Window::month(), march.last + 366 * kClockDay, &march);
  EXPECT_EQ(next_year.number, 13);
}

TEST(Calendar, EverySecondIsInOneWindow) {
  Rng rng(11);
  for (const char* zone : {"UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kolkata",
                           "Asia/Beirut", "Atlantic/Azores", "America/Havana", "Pacific/Apia"}) {
    for (const Window& window : {Window::day(zone), Window::week(zone), Window::month(zone)}) {
      std::int64_t now = 1'000'000'000 + rng.below(600'000'000);
      CalendarWindow before = window_at(window, now);
      ASSERT_LE(before.first, now);
      for (int n = 0; n < 400; ++n) {
        const CalendarWindow next = window_at(window, before.last + 1, &before);
        ASSERT_EQ(next.first, before.last + 1) << zone;
        ASSERT_GE(next.last, next.first);
        ASSERT_GT(next.number, before.number);
        before = next;
      }
    }
  }
}

TEST(Calendar, AZoneThatIsNotKnownIsRefused) {
  const auto refused = check_zone("Mars/Olympus");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(),
            "window: found time zone \"Mars/Olympus\"; accepted: a name that the system's "
            "time zone database has, such as UTC or Europe/Berlin");
}

TEST(Clock, OpensOnlyTheNextCalendarWindowThatContainsNow) {
  WindowClock clock(Window::day(), 64);
  EXPECT_TRUE(clock.needs_window(0));
  EXPECT_FALSE(clock.check_open({1, 0, 99}, 5).ok());
  clock.check_open({0, 0, 99}, 5).check();
  clock.open({0, 0, 99});
  EXPECT_FALSE(clock.needs_window(99));
  EXPECT_TRUE(clock.needs_window(100));
  EXPECT_FALSE(clock.check_open({0, 100, 199}, 100).ok());
  EXPECT_FALSE(clock.check_open({1, 100, 199}, 200).ok());
  EXPECT_FALSE(clock.check_open({1, 50, 199}, 150).ok());
  clock.check_open({3, 300, 399}, 350).check();
  clock.open({3, 300, 399});
  ByteWriter out;
  clock.save(out);
  WindowClock copy(Window::day(), 64);
  ByteReader in(out.bytes());
  copy.load(in).check();
  EXPECT_EQ(copy.period(), 3);
  EXPECT_EQ(copy.last(), 399);
}

TEST(Clock, AWindowThatBeginsBefore1970IsSaved) {
  WindowClock clock(Window::month("America/New_York"), 64);
  clock.open(window_at(Window::month("America/New_York"), 1));
  ASSERT_LT(clock.first(), 0);
  ByteWriter out;
  clock.save(out);
  WindowClock copy(Window::month("America/New_York"), 64);
  ByteReader in(out.bytes());
  copy.load(in).check();
  EXPECT_EQ(copy.first(), clock.first());
}

}  // namespace
}  // namespace rein
