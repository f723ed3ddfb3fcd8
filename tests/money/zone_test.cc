// Local times after 2037, where the system's lists of changes end, against Python's zoneinfo.
#include "money/zone.h"

#include <gtest/gtest.h>

#include <array>

#include "money/calendar.h"

namespace rein {
namespace {

// Seconds east of Greenwich, by Python 3.11 with tzdata 2025b:
// datetime.fromtimestamp(second, zoneinfo.ZoneInfo(zone)).utcoffset().total_seconds()
constexpr std::array<std::int64_t, 9> kSeconds = {1782907200, 2144923200, 2161598400, 2191752000, 2207563200, 2595585600, 3117960000, 4086590400, 4103697600};
struct Offsets {
  const char* zone;
  std::array<std::int64_t, 9> east;
};
constexpr Offsets kOffsets[] = {
    {"Europe/Berlin", {7200, 3600, 7200, 7200, 3600, 7200, 7200, 7200, 3600}},
    {"America/New_York", {-14400, -18000, -14400, -14400, -18000, -14400, -14400, -14400, -18000}},
    {"America/Sao_Paulo", {-10800, -10800, -10800, -10800, -10800, -10800, -10800, -10800, -10800}},
    {"Australia/Lord_Howe", {37800, 39600, 37800, 37800, 39600, 39600, 39600, 37800, 39600}},
    {"Asia/Kolkata", {19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800}},
    {"Europe/Dublin", {3600, 0, 3600, 3600, 0, 3600, 3600, 3600, 0}},
    {"Africa/Casablanca", {3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600}},
    {"America/Nuuk", {-3600, -7200, -3600, -3600, -7200, -3600, -3600, -3600, -7200}},
    {"Asia/Gaza", {10800, 7200, 10800, 10800, 7200, 10800, 7200, 10800, 7200}},
    {"America/Santiago", {-14400, -10800, -14400, -14400, -10800, -10800, -10800, -14400, -10800}},
    {"Pacific/Auckland", {43200, 46800, 43200, 43200, 46800, 46800, 46800, 43200, 46800}},
    {"Asia/Tehran", {12600, 12600, 12600, 12600, 12600, 12600, 12600, 12600, 12600}},
};

// The first second of a local day, and of the day after it: datetime(y, m, d, tzinfo=zone).timestamp().
struct Day {
  const char* zone;
  std::int64_t first, next;
};
constexpr Day kDays[] = {
    {"Europe/Berlin", 2184793200, 2184876000},  // 2039-03-27, 23 hours
    {"Europe/Berlin", 2190492000, 2190578400},  // 2039-06-01, 24 hours
    {"Europe/Berlin", 2203538400, 2203628400},  // 2039-10-30, 25 hours
    {"Europe/Berlin", 4109871600, 4109954400},  // 2100-03-28, 23 hours
    {"America/New_York", 2215054800, 2215137600},  // 2040-03-11, 23 hours
    {"America/New_York", 2235614400, 2235704400},  // 2040-11-04, 25 hours
    {"Australia/Lord_Howe", 2374664400, 2374752600},  // 2045-04-02, 24 hours
    {"Pacific/Auckland", 3399796800, 3399879600},  // 2077-09-26, 23 hours
    {"Asia/Kolkata", 2845218600, 2845305000},  // 2060-02-29, 24 hours
};

TEST(Zone, FollowsTheRuleAfterTheLastListedChange) {
  for (const Offsets& row : kOffsets) {
    const Zone zone = Zone::named(row.zone).value();
    for (std::size_t i = 0; i < kSeconds.size(); ++i) {
      EXPECT_EQ(zone.offset_at(kSeconds[i]), row.east[i]) << row.zone << " at " << kSeconds[i];
    }
  }
}

TEST(Zone, DaysAfter2037BeginAndEndAtLocalMidnight) {
  for (const Day& row : kDays) {
    const CalendarWindow day =
        calendar_window(Window::day(row.zone), (row.first + row.next) / 2, nullptr).value();
    EXPECT_EQ(day.first, row.first) << row.zone;
    EXPECT_EQ(day.last + 1, row.next) << row.zone;
  }
}

TEST(Zone, EverySecondUpTo2100IsInOneWindow) {
  for (const char* zone : {"Europe/Berlin", "America/Santiago", "Africa/Casablanca"}) {
    for (const Window& window : {Window::day(zone), Window::week(zone), Window::month(zone)}) {
      CalendarWindow before = calendar_window(window, 2'145'000'000, nullptr).value();
      const int windows = window.kind == Window::Kind::kDay ? 2000 : 600;
      for (int n = 0; n < windows; ++n) {
        const CalendarWindow next = calendar_window(window, before.last + 1, &before).value();
        ASSERT_EQ(next.first, before.last + 1) << zone;
        ASSERT_EQ(next.number, before.number + 1) << zone;
        before = next;
      }
    }
  }
}

TEST(PosixRule, ReadsWhatTheDatabaseHasAndRefusesTheRest) {
  for (const char* text : {"CET-1CEST,M3.5.0,M10.5.0/3", "<+0330>-3:30", "IST-1GMT0,M10.5.0,M3.5.0/1",
                           "EET-2EEST,M3.4.4/50,M10.4.4/50", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
                           "XXX3EDT4,0/0,J365/23", "UTC0"}) {
    EXPECT_TRUE(PosixRule::parse(text).has_value()) << text;
  }
  for (const char* text : {"", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
                           "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0 ", "<+03", "CET-"}) {
    EXPECT_FALSE(PosixRule::parse(text).has_value()) << text;
  }
}

TEST(PosixRule, DaysOfTheYear) {
  const PosixRule rule = PosixRule::parse("AAA0BBB,J60/2,304/2").value();
  constexpr std::int64_t kYear2040 = 2'208'988'800, kDaySeconds = 86'400;  // a leap year
  EXPECT_EQ(rule.offset_at(kYear2040 + 60 * kDaySeconds + 7199), 0) << "J60 is 1 March in every year";
  EXPECT_EQ(rule.offset_at(kYear2040 + 60 * kDaySeconds + 7200), 3600);
  EXPECT_EQ(rule.offset_at(kYear2040 + 304 * kDaySeconds + 3599), 3600);
  EXPECT_EQ(rule.offset_at(kYear2040 + 304 * kDaySeconds + 3600), 0) << "304 counts 29 February";
}

}  // namespace
}  // namespace rein
