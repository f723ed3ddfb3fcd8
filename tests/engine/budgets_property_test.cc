// The budgets of an engine against a plain, slow model (engine/money_model.h): windows of every kind,
// scopes whose keys leave, outcomes in parts, holds, limits of a request, bills that are late or above
// their hold, cancels, top-ups, other amounts, new windows, expiry, clocks that jump, and 1000 open
// decisions. After every operation both must agree, to the micro-unit. At the end the records are
// replayed, from the beginning and from snapshots.
//
// REIN_OPERATIONS says how many operations are done in all (make test-budgets: a million).
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/budget_twins.h"
#include "property.h"

namespace rein {
namespace {

TEST(BudgetsProperty, TheEngineKeepsItsBudgetsAsThePlainModelDoes) {
  const char* asked = std::getenv("REIN_OPERATIONS");
  const std::int64_t all = asked != nullptr ? std::atoll(asked) : sanitized() ? 10'000 : 60'000;
  constexpr int kLives = 100;  // rapidcheck's cases
  const int size =
      static_cast<int>(2.3 * static_cast<double>(all) / kLives);  // of the longest life
  BudgetsMet met;
  EXPECT_TRUE(rc::check([&] {
    const auto seed = *rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>()));
    const auto operations = *rc::gen::resize(
        size, rc::gen::container<std::vector<std::uint64_t>>(
                  rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>()))));
    BudgetTwins both(money_setup(seed), met);
    for (const std::uint64_t operation : operations) both.run(operation);
    both.finish();
  }));
  // The lives met what the test is for.
  EXPECT_GE(met.operations, all);
  EXPECT_GT(met.decided, all / 8);
  EXPECT_GT(met.no_money, all / 1000);
  EXPECT_GT(met.no_place, all / 1000);
  EXPECT_GT(met.expired, all / 100);
  EXPECT_GT(met.gave_way, all / 1000);
  EXPECT_GT(met.late, all / 1000);
  EXPECT_GT(met.over, all / 1000);
  EXPECT_GT(met.replays, kLives);
  if (size >= 3000) {
    EXPECT_GE(met.most_open, 1000);
  }
}

}  // namespace
}  // namespace rein
