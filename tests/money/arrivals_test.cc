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
      if (now >= 60) {  // the first tick ever was not spread well
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

}  // namespace
}  // namespace rein
