// The status of a run: every word, where it begins, and which comes first.
#include "policy/status.h"

#include <gtest/gtest.h>

#include <set>

#include "policy/by_hand.h"

namespace rein {
namespace {

// One cost, a budget of 0.1 per round for 1000 rounds, all of it spent evenly.
StatusAccounts halfway() {
  return {.rounds = 500,
          .horizon = 1000,
          .spent = {50.0},
          .sizes = {50.0},
          .rates = {0.1},
          .least = {0.01}};
}

Status status_of(const StatusAccounts& accounts) { return judge(accounts, false, false).status; }

TEST(StatusWords, OkWhileTheBudgetIsSpentEvenly) {
  EXPECT_EQ(status_of(halfway()), Status::kOk);
  EXPECT_EQ(status_of({}), Status::kOk);  // no costs
}

TEST(StatusWords, OverWhenADebtIsMoreThanATwentiethOfTheBudget) {
  StatusAccounts a = halfway();
  a.spent = {54.9};
  EXPECT_EQ(status_of(a), Status::kOk);
  a.spent = {55.1};
  EXPECT_EQ(status_of(a), Status::kOver);
  EXPECT_EQ(judge(a, true, true).cost, 0);
  a.rounds = 90;  // too early to judge a pace
  EXPECT_EQ(status_of(a), Status::kOk);
}

TEST(StatusWords, OverWhenTheBudgetIsPassedByHalfAPercent) {
  StatusAccounts a = halfway();
  a.rounds = 1000;
  a.spent = {100.4};
  EXPECT_EQ(status_of(a), Status::kOk);
  a.spent = {100.6};
  EXPECT_EQ(status_of(a), Status::kOver);
}

TEST(StatusWords, OverWithoutAHorizonIsJudgedByTheRoundsSoFar) {
  StatusAccounts a = halfway();
  a.horizon = 0;
  a.spent = {52.4};
  EXPECT_EQ(status_of(a), Status::kOk);
  a.spent = {52.6};
  EXPECT_EQ(status_of(a), Status::kOver);
}

TEST(StatusWords, OverWithABudgetOfZeroIsATwentiethOfAllThatWasPaidOrSaved) {
  StatusAccounts a = halfway();
  a.rates = {0.0};
  a.least = {-0.3};
  a.sizes = {200.0};
  a.spent = {9.9};
  EXPECT_EQ(status_of(a), Status::kOk);
  a.spent = {10.1};
  EXPECT_EQ(status_of(a), Status::kOver);
}

TEST(StatusWords, InfeasibleWhenTheCheapestCostMoreThanTheBudgetPerRound) {
  StatusAccounts a = halfway();
  a.least = {0.1005};
  EXPECT_EQ(status_of(a), Status::kOk);
  a.least = {0.102};
  a.spent = {200.0};
  EXPECT_EQ(status_of(a), Status::kInfeasible);  // comes before over
}

TEST(StatusWords, UnspentAtTheEndOfTheRun) {
  StatusAccounts a = halfway();
  a.spent = {20.0};
  EXPECT_EQ(status_of(a), Status::kOk);  // it may still be spent
  a.rounds = 1000;
  a.spent = {94.0};
  EXPECT_EQ(status_of(a), Status::kUnspent);
  a.spent = {96.0};
  EXPECT_EQ(status_of(a), Status::kOk);
  a.rounds = 950;  // 50 rounds can spend 5 at the usual pace, and 10 at twice that
  a.spent = {91.0};
  EXPECT_EQ(status_of(a), Status::kOk);
  a.spent = {89.0};
  EXPECT_EQ(status_of(a), Status::kUnspent);
}

TEST(StatusWords, AlarmsComeAfterTheBudgetAndBeforeWhatIsUnspent) {
  StatusAccounts a = halfway();
  EXPECT_EQ(judge(a, true, true).status, Status::kClass);
  EXPECT_EQ(judge(a, true, false).status, Status::kChanged);
  EXPECT_EQ(judge(a, false, true).status, Status::kClass);
  a.rounds = 1000;
  a.spent = {50.0};
  EXPECT_EQ(judge(a, false, true).status, Status::kClass);
  a.spent = {150.0};
  EXPECT_EQ(judge(a, true, true).status, Status::kOver);
}

TEST(StatusWords, EachHasANameAndAdviceOfItsOwn) {
  std::set<std::string_view> names, sentences;
  for (int s = 0; s <= static_cast<int>(Status::kPast); ++s) {
    names.insert(name_of(static_cast<Status>(s)));
    sentences.insert(advice(static_cast<Status>(s)));
    EXPECT_TRUE(advice(static_cast<Status>(s)).ends_with('.'));
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"ok", "over", "infeasible", "unspent", "class",
                                               "changed", "past"}));
  EXPECT_EQ(sentences.size(), 7u);
}

TEST(StatusWords, TheAdviceOnGoalsSpeaksOfLimits) {
  for (const Status status :
       {Status::kOver, Status::kInfeasible, Status::kUnspent, Status::kPast}) {
    const std::string_view found = advice(status, true);
    EXPECT_NE(found, advice(status));
    EXPECT_EQ(found.find("budget"), std::string_view::npos) << found;
    EXPECT_NE(found.find("limit"), std::string_view::npos) << found;
    EXPECT_TRUE(found.ends_with('.'));
  }
  for (const Status status : {Status::kOk, Status::kClass, Status::kChanged}) {
    EXPECT_EQ(advice(status, true), advice(status));
  }
}

// A policy whose every action costs `cost`, told that it was so.
PolicyState after(const std::string& spec, int rounds, double cost) {
  Hand hand(two_actions(spec, {{0.0, 1.0}}));
  for (int t = 0; t < rounds; ++t) {
    hand.decide();
    hand.learn(t % 2, {.reward = 0.5, .costs = {cost}});
  }
  return hand.state();
}

TEST(PolicyStatus, SaysThatABudgetIsInfeasible) {
  const PolicyState state = after("ccb(rate=0.1,rounds=1000)", 200, 0.5);
  EXPECT_EQ(state.status, Status::kInfeasible);
  EXPECT_EQ(state.status_head, 1);
  EXPECT_FALSE(state.status_goal);
  EXPECT_NEAR(state.least[0], 0.5, 0.05);
}

TEST(PolicyStatus, SaysThatABudgetIsPassedWhereNobodyKnowsTheLeast) {
  EXPECT_EQ(after("ccb(budget=100,rounds=1000,tuning=theory)", 200, 0.5).status, Status::kOver);
  EXPECT_EQ(after("pacer(budget=100,rounds=1000)", 200, 0.5).status, Status::kOver);
}

TEST(PolicyStatus, SaysThatABudgetIsLeft) {
  EXPECT_EQ(after("ccb(rate=0.1,rounds=200)", 200, 0.01).status, Status::kUnspent);
  EXPECT_EQ(after("ccb(rate=0.1,rounds=200)", 100, 0.01).status, Status::kOk);
}

TEST(PolicyStatus, WhoPromisesNothingAboutCostsIsNeverOver) {
  EXPECT_EQ(after("squarecb(rounds=200)", 200, 0.5).status, Status::kOk);
}

}  // namespace
}  // namespace rein
