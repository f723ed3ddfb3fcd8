// Budgets as texts: what --budget takes, and what a file of finished plays says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rein/budget.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

TEST(BudgetSpec, HasTheWordsOfPython) {
  const Budget found =
      parse_budget(
          "day(cost=dollars,amount=5,hard=1,per=day,zone=\"Europe/Berlin\",carry=1,"
          "scope=user,rounds=70)")
          .value();
  const Budget wanted{"day", "dollars", 5.0, BudgetKind::kHard, Window::day("Europe/Berlin"),
                      true,  "user",    70};
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(parse_budget("all(cost=c,amount=5)").value(),
            (Budget{.name = "all", .cost = "c", .amount = 5.0}));
  EXPECT_EQ(parse_budget("x(name=\"each user\",cost=c,amount=5)").value().name, "each user");
  EXPECT_EQ(parse_budget("x(kind=hard,cost=c,amount=5)").value().kind, BudgetKind::kHard);
}

TEST(BudgetSpec, EveryWindowReadsBack) {
  for (const Window& window :
       {Window::run(), Window::rounds(500), Window::ticks(3600), Window::rolling(3600),
        Window::day("Asia/Tokyo"), Window::week(), Window::month()}) {
    for (const char* name : {"day", "each user", "a\"b"}) {
      const Budget budget{name, "dollars", 0.1, BudgetKind::kHard, window, true, "team", 9};
      EXPECT_EQ(parse_budget(to_text(budget)).value(), budget) << to_text(budget);
    }
  }
}

TEST(BudgetSpec, SaysWhatItFoundAndWhatIsAccepted) {
  const auto error = [](const char* text) { return parse_budget(text).error(); };
  EXPECT_THAT(error("day(cost=c,amount=1,per=\"5 hours\")"),
              HasSubstr("found per=\"5 hours\"; accepted: run, day, week, month"));
  EXPECT_THAT(error("day(cost=c,amount=1,per=\"last 5 rounds\")"), HasSubstr("found per="));
  EXPECT_THAT(error("day(cost=c,amount=1,per=\"0 ticks\")"), HasSubstr("found per="));
  EXPECT_THAT(error("day(cost=c)"), HasSubstr("accepted: amount=NUMBER and cost=NAME"));
  EXPECT_THAT(error("day(amount=1)"), HasSubstr("accepted: amount=NUMBER and cost=NAME"));
  EXPECT_THAT(error("day(amount=-1,cost=c)"), HasSubstr("amount"));
  EXPECT_THAT(error("day(amont=1,cost=c)"), HasSubstr("unknown key \"amont\""));
  EXPECT_THAT(error("day(amount=1,cost=c,hard=1,kind=steer)"), HasSubstr("kind=steer and hard=1"));
}

}  // namespace
}  // namespace rein
