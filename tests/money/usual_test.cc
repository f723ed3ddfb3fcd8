// Profiles of windows of which some had holes.
#include "money/usual.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "money/arrivals.h"
#include "money/week.h"
#include "rein/bytes.h"

namespace rein {
namespace {

struct Profiled {
  std::array<double, 4> usual{}, windows{}, missed{};
  double mix(const std::array<double, 4>& seen) {
    return mix_window(seen, {usual, windows, missed, 4.0});
  }
};

TEST(UsualParts, AHoleIsLeftOutOnceAndCountsTheSecondTime) {
  Profiled p;
  p.mix({20, 20, 20, 20});
  p.mix({20, 20, 20, 20});
  EXPECT_EQ(p.mix({20, 0, 4, 20}), 0.5);
  EXPECT_EQ(p.usual, (std::array<double, 4>{20, 20, 20, 20}));
  EXPECT_EQ(p.mix({20, 0, 20, 20}), 0.75);
  EXPECT_NEAR(p.usual[1], 20.0 * 2 / 3, 1e-9);
  EXPECT_EQ(p.usual[2], 20.0);
}

TEST(UsualParts, FewerDecisionsThanChanceMayLeaveOutAreMixed) {
  Profiled p;
  p.mix({3, 3, 3, 3});
  EXPECT_EQ(p.mix({3, 0, 0, 3}), 1.0);
  EXPECT_EQ(p.usual[1], 1.5);
}

TEST(UsualParts, AFirstWindowWithAHoleIsNotBelieved) {
  Profiled p;
  p.mix({20, 0, 0, 20});
  EXPECT_EQ(p.mix({20, 20, 20, 20}), 1.0);
  EXPECT_EQ(p.usual, (std::array<double, 4>{20, 20, 20, 20}));
}

// Windows of 320 ticks, one decision per tick but for a hole.
WindowPlace in_window(std::int64_t now) { return {true, now / 320, now / 320 * 320, 320, now}; }

void count_but(Arrivals& arrivals, std::int64_t first, std::int64_t last, std::int64_t hole_first,
               std::int64_t hole_end, int every = 1) {
  for (std::int64_t now = first; now < last; now += every) {
    if (now >= hole_first && now < hole_end) continue;
    arrivals.advance(in_window(now));
    arrivals.count(0, in_window(now));
  }
}

TEST(Arrivals, AfterAnOutageTheRestOfTheWindowIsAsUsual) {
  Arrivals arrivals, quiet;
  for (Arrivals* one : {&arrivals, &quiet}) {
    one->add();
    count_but(*one, 0, 4 * 320, 0, 0);
  }
  count_but(arrivals, 4 * 320, 4 * 320 + 175, 4 * 320, 4 * 320 + 160);  // the first half is missing
  EXPECT_NEAR(arrivals.left(in_window(4 * 320 + 175)), 145, 8);
  EXPECT_NEAR(arrivals.left_of(0, in_window(4 * 320 + 175)), 145, 8);
  count_but(quiet, 4 * 320, 4 * 320 + 160, 0, 0, 10);  // a tenth of what is usual, all day
  EXPECT_NEAR(quiet.left(in_window(4 * 320 + 160)), 32, 6);
}

TEST(Arrivals, AnOutageSaysNothingAboutTheNextWindow) {
  Arrivals arrivals;
  arrivals.add();
  count_but(arrivals, 0, 6 * 320, 4 * 320 + 100, 4 * 320 + 260);
  for (int over : {0, 80, 160, 240}) {
    const std::int64_t now = 6 * 320 + over;
    count_but(arrivals, now - (over > 0 ? 80 : 0), now, 0, 0);
    arrivals.advance(in_window(now));
    EXPECT_NEAR(arrivals.left(in_window(now)), 320 - over, 4) << over;
    EXPECT_NEAR(arrivals.left_of(0, in_window(now)), 320 - over, 4) << over;
  }
}

TEST(Arrivals, AWindowWithAHoleIsSavedAndLoadedToTheBit) {
  Arrivals arrivals, loaded;
  arrivals.add();
  count_but(arrivals, 0, 5 * 320 + 200, 4 * 320 + 100, 5 * 320 + 190);
  ByteWriter out;
  arrivals.save(out);
  ByteReader in(out.bytes());
  loaded.load(in).check();
  for (Arrivals* one : {&arrivals, &loaded}) count_but(*one, 5 * 320 + 200, 6 * 320 + 50, 0, 0);
  EXPECT_EQ(loaded.left(in_window(6 * 320 + 50)), arrivals.left(in_window(6 * 320 + 50)));
}

// Ten decisions per hour from Monday on, without those of some hours.
WeekProfile week_without(std::int64_t first, std::int64_t end) {
  WeekProfile week;
  for (std::int64_t hour = 0; hour < 8 * 24; ++hour) {
    if (hour >= first && hour < end) continue;
    for (int n = 0; n < 10; ++n) week.count(hour * 3600 + n * 300, true);
  }
  return week;
}

TEST(WeekProfile, AnOutageOfTheFirstWeekIsFilledByTheOtherDaysAndAClosedDayIsNot) {
  const WeekProfile outage = week_without(50, 56), closed = week_without(144, 168);
  EXPECT_NEAR(outage.between(48 * 3600, 72 * 3600), 240, 1);
  EXPECT_NEAR(closed.between(144 * 3600, 168 * 3600), 0, 1);
}

}  // namespace
}  // namespace rein
