// What an action can cost: the 0.95 quantile of its last 32 costs.
#include "money/seen_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "property.h"
#include "rein/bytes.h"

namespace rein {
namespace {

// The plain definition: the ceil(0.95 n)-th smallest of the last 32.
double quantile(const std::vector<double>& all) {
  std::vector<double> last(
      all.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(all.size(), 32)), all.end());
  std::ranges::sort(last);
  const auto n = last.size();
  return last[(95 * n + 99) / 100 - 1];
}

TEST(SeenCosts, AreTheQuantileOfTheLast32) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint16_t>& costs) {
    SeenCosts seen(3, 2);
    std::vector<double> all;
    for (std::uint16_t cost : costs) {
      all.push_back(0.001 * cost);
      seen.add(1, 1, all.back());
      RC_ASSERT(seen.bound(1, 1) == quantile(all));
    }
    RC_ASSERT(std::isnan(seen.bound(0, 1)) && std::isnan(seen.bound(1, 0)));
  }));
}

TEST(SeenCosts, FollowAChangeOfPricesWithin32Plays) {
  SeenCosts seen(1, 1);
  for (int n = 0; n < 1000; ++n) seen.add(0, 0, 5.0);
  for (int n = 0; n < 31; ++n) seen.add(0, 0, 1.0);
  EXPECT_EQ(seen.bound(0, 0), 1.0);
}

TEST(SeenCosts, AreSaved) {
  SeenCosts seen(2, 1), other(2, 1);
  for (int n = 0; n < 50; ++n) seen.add(n % 2, 0, n);
  ByteWriter out;
  seen.save(out);
  ByteReader in(out.bytes());
  other.load(in).check();
  in.finish().check();
  for (int n = 0; n < 50; ++n) {
    seen.add(n % 2, 0, 0.5 * n);
    other.add(n % 2, 0, 0.5 * n);
    ASSERT_EQ(seen.bound(n % 2, 0), other.bound(n % 2, 0));
  }
}

TEST(SeenCosts, OfVeryManyActionsAreNotKept) {
  SeenCosts seen(1'000'000, 1);
  seen.add(999'999, 0, 1.0);
  EXPECT_TRUE(std::isnan(seen.bound(999'999, 0)));
  EXPECT_EQ(seen.bounds().size(), static_cast<std::size_t>(SeenCosts::kMostActions));
}

}  // namespace
}  // namespace rein
