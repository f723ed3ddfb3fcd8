#include "money/arrivals.h"

#include <gtest/gtest.h>

#include "rein/bytes.h"

namespace rein {
namespace {

// Plays days of 100 ticks; `when` are the ticks of the decisions of each day.
WindowPlace at(std::int64_t now) { return {true, now / 100, now / 100 * 100, 100, now}; }

void count(Arrivals& arrivals, std::int64_t now, int slot = 0) {
  arrivals.advance(at(now));
  arrivals.count(slot, at(now));
}

TEST(Arrivals, WindowsOfRoundsAreKnown) {
  Arrivals arrivals;
  arrivals.add();
  const WindowPlace place{false, 0, 0, 50, 20};
  EXPECT_NEAR(arrivals.left(place), 30, 1e-9);
}

TEST(Arrivals, TheFirstWindowIsTakenToBeUniform) {
  Arrivals arrivals;
  arrivals.add();
  for (int n = 0; n < 50; n += 2) count(arrivals, n);
  EXPECT_NEAR(arrivals.left(at(50)), 25, 2);
  Arrivals told(40);
  told.add();
  EXPECT_NEAR(told.left(at(0)), 40, 1e-9);
}

TEST(Arrivals, LaterWindowsFollowTheProfile) {
  Arrivals arrivals;
  arrivals.add();
  for (int day = 0; day < 3; ++day) {
    for (int n = 0; n < 10; ++n) count(arrivals, 100 * day + 5 * n);  // the quiet half
    for (int n = 0; n < 90; ++n) count(arrivals, 100 * day + 50 + n / 2);
  }
  arrivals.advance(at(300));
  EXPECT_NEAR(arrivals.left(at(300)), 100, 1);
  EXPECT_NEAR(arrivals.left(at(350)), 90 * (0 + 100 / 16.0) / (10 + 100 / 16.0), 3)
      << "nothing came: fewer than usual";
  for (int n = 0; n < 10; ++n) count(arrivals, 300 + 5 * n);
  EXPECT_NEAR(arrivals.left(at(350)), 90, 3);
}

TEST(Arrivals, ManyDecisionsOfOneTickDoNotStandStill) {
  Arrivals arrivals;
  arrivals.add();
  const auto hour = [](std::int64_t now) {
    return WindowPlace{true, now / 10, now / 10 * 10, 10, now};
  };
  for (int now = 0; now < 85; ++now) {
    for (int n = 0; n < 20; ++n) {
      arrivals.advance(hour(now));
      arrivals.count(0, hour(now));
      if (now >= 70) {  // the first tick ever was not spread well
        EXPECT_NEAR(arrivals.left(hour(now)), 199 - 20 * (now % 10) - n, 10) << now << " " << n;
      }
    }
  }
}

TEST(Arrivals, AKeyHasItsOwnCount) {
  Arrivals arrivals;
  arrivals.add();
  arrivals.add();
  for (int day = 0; day < 2; ++day) {
    for (int n = 0; n < 100; ++n) count(arrivals, 100 * day + n, n % 10 == 0 ? 1 : 0);
  }
  arrivals.advance(at(200));
  EXPECT_NEAR(arrivals.left_of(0, at(200)), 90, 1);
  EXPECT_NEAR(arrivals.left_of(1, at(200)), 10, 0.1);
  EXPECT_NEAR(arrivals.left_of(Arrivals::kNone, at(200)), 50, 1) << "a new key: the mean";
  arrivals.restart(0);
  EXPECT_NEAR(arrivals.left_of(0, at(200)), 50, 1);
}

// Windows of 30 days. Weekdays bring 24 decisions between 6 and 18 o'clock, weekends 8.
constexpr std::int64_t kDay = 86'400;
int on_day(std::int64_t day) { return day % 7 >= 5 ? 8 : 24; }
WindowPlace in_month(std::int64_t now) {
  const std::int64_t month = now / (30 * kDay);
  return {true, month, month * 30 * kDay, 30 * kDay, now, true};
}
void count_days(Arrivals& arrivals, std::int64_t first, std::int64_t last) {
  for (std::int64_t day = first; day < last; ++day) {
    for (int n = 0; n < on_day(day); ++n) {
      const WindowPlace place = in_month(day * kDay + kDay / 4 + n * kDay / 2 / on_day(day));
      arrivals.advance(place);
      arrivals.count(0, place);
    }
  }
}

TEST(RulesSteeredBudgets, DaysWeeksAndMonths) {
  Arrivals arrivals;
  arrivals.add();
  std::int64_t counted = 3;  // begins in the middle of a week and a window
  for (std::int64_t day = 33; day < 150; ++day) {
    count_days(arrivals, counted, day);
    counted = day;
    double left = 0.0;
    for (std::int64_t n = day; n < (day / 30 + 1) * 30; ++n) left += on_day(n);
    arrivals.advance(in_month(day * kDay));
    EXPECT_NEAR(arrivals.left(in_month(day * kDay)), left, 0.01 * left + 1.0) << "day " << day;
  }
}

TEST(Arrivals, SummerTimeMovesNothingOnTheLocalClock) {
  for (const std::int64_t winter : {-10, -1, 0, 1, 5, 10}) {  // midnight, in hours of UTC
    Arrivals arrivals;
    arrivals.add();
    for (std::int64_t day = 3000; day < 3028; ++day) {
      const bool summer = day >= 3012;
      const std::int64_t first = day * kDay + (winter - (summer ? 1 : 0)) * 3600;
      const std::int64_t length = kDay - (day == 3011 ? 3600 : 0);
      const int all = 10 * on_day(day);
      for (int n = 0; n < all; ++n) {  // from 9 to 17 o'clock
        const WindowPlace place{true, day, first, length, first + 9 * 3600 + n * 8 * 3600 / all,
                                true};
        arrivals.advance(place);
        if (day >= 3012 && n % 20 == 10) {
          EXPECT_NEAR(arrivals.left(place), all - n, 0.02 * all) << "midnight at " << winter;
        }
        arrivals.count(0, place);
      }
    }
  }
}

TEST(Arrivals, TheFirstMonthLearnsFromItsFirstWeek) {
  Arrivals arrivals;
  arrivals.add();
  count_days(arrivals, 33, 55);
  EXPECT_NEAR(arrivals.left(in_month(55 * kDay)), 8 + 4 * 24, 2) << "Sunday to Thursday";
}

TEST(Arrivals, SavedAndLoadedTheyGoOnWithTheSameBits) {
  Arrivals arrivals(70), loaded;
  arrivals.add();
  for (int n = 0; n < 350; n += 3) count(arrivals, n);
  ByteWriter out;
  arrivals.save(out);
  ByteReader in(out.bytes());
  loaded.load(in).check();
  EXPECT_EQ(loaded.left(at(360)), arrivals.left(at(360)));
  EXPECT_EQ(loaded.soon(at(360), 25), arrivals.soon(at(360), 25));
  for (std::size_t size = 0; size < out.bytes().size(); size += 8) {
    ByteReader cut(std::string_view(out.bytes()).substr(0, size));
    EXPECT_FALSE(Arrivals().load(cut).ok());
  }
}

TEST(Arrivals, SavedAndLoadedTheyKnowTheWeek) {
  Arrivals arrivals, loaded;
  arrivals.add();
  count_days(arrivals, 3, 40);
  ByteWriter out;
  arrivals.save(out);
  ByteReader in(out.bytes());
  loaded.load(in).check();
  for (std::int64_t day = 40; day < 60; ++day) {
    EXPECT_EQ(loaded.left(in_month(day * kDay)), arrivals.left(in_month(day * kDay)));
  }
  count_days(arrivals, 40, 60);
  count_days(loaded, 40, 60);
  EXPECT_EQ(loaded.left(in_month(60 * kDay)), arrivals.left(in_month(60 * kDay)));
}

}  // namespace
}  // namespace rein
