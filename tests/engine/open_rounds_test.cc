// Decisions whose outcome has not come: each holds what it may cost, and each has a budget for its round. So a
// batch, or a queue of late outcomes, spends what the policy may spend and no less.
#include <gtest/gtest.h>

#include "rein/batch.h"
#include "rein/engine.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr int kCustomers = 5000;

// A mail costs 1 and is worth more to customers with a large x.
struct Mailing {
  Rng rng{3};
  std::vector<double> x = {1.0, 0.0};

  static Shape shape() {
    return {.actions = 2, .context = 2, .reward = {0, 1}, .costs = {{"mails", {0.0, 1.0}}}};
  }
  void next() { x[1] = rng.uniform(); }
  Outcome outcome(int action) {
    const double want = 0.1 + 0.4 * x[1] * action;
    return {.reward = rng.uniform() < want ? 1.0 : 0.0, .costs = {1.0 * action}};
  }
};

Engine trained(const char* policy, EngineOptions options = {}) {
  Engine engine = Engine::make(policy, Mailing::shape(), options).value();
  Mailing past;
  std::vector<std::vector<double>> contexts;
  std::vector<std::pair<int, Outcome>> played;
  for (int n = 0; n < 3000; ++n) {
    past.next();
    const int action = past.rng.uniform() < 0.5 ? 1 : 0;
    contexts.push_back(past.x);
    played.emplace_back(action, past.outcome(action));
  }
  std::vector<LoggedRound> rows;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    rows.push_back({{.actions = 2, .context = contexts[i]}, played[i].first, played[i].second});
  }
  engine.warm_start(rows).check();
  return engine;
}

struct Mailed {
  double mails = 0.0, wants = 0.0;  // sum of x of those who got one
};

// So many decisions, one after the other, none of which is learned.
Mailed decide_all(Engine& engine, int customers, std::uint64_t seed = 8) {
  Mailing now{.rng = Rng(seed)};
  Mailed out;
  for (int n = 0; n < customers; ++n) {
    now.next();
    const auto made = engine.decide({.actions = 2, .context = now.x}).value();
    out.mails += made.action;
    out.wants += made.action * now.x[1];
  }
  return out;
}

TEST(OpenRounds, ABatchOfATrainedPolicySpendsItsRate) {
  Engine engine = trained("ccb(rate=0.3333)");
  const Mailed found = decide_all(engine, kCustomers);
  EXPECT_NEAR(found.mails, 0.3333 * kCustomers, 0.03 * kCustomers);
  EXPECT_GT(found.wants / found.mails, 0.75) << "the best third has 0.833, chance 0.5";
}

TEST(OpenRounds, ManyAtOnceAreTheSameAsOneByOne) {
  Engine one = trained("ccb(rate=0.3333)"), many = trained("ccb(rate=0.3333)");
  std::vector<double> contexts;
  Mailing now{.rng = Rng(8)};
  for (int n = 0; n < 200; ++n) {
    now.next();
    contexts.insert(contexts.end(), now.x.begin(), now.x.end());
  }
  std::vector<std::int32_t> actions(200);
  std::vector<std::uint64_t> ids(200);
  decide_many(many, {.rounds = 200, .actions = 2, .contexts = contexts},
              {.ids = ids, .actions = actions})
      .check();
  double mails = 0.0;
  for (const std::int32_t action : actions) mails += action;
  EXPECT_EQ(decide_all(one, 200).mails, mails);
}

TEST(OpenRounds, ATotalBudgetIsSpentByABatchAsLongAsItsHorizon) {
  Engine engine = trained("ccb(budget=1666,rounds=5000)");
  const Mailed found = decide_all(engine, kCustomers);
  EXPECT_LE(found.mails, 1666.0 * 1.02);
  EXPECT_GE(found.mails, 1666.0 * 0.95);
}

TEST(OpenRounds, ABatchAfterManyOutcomesSpendsItsRate) {
  Engine engine = trained("ccb(rate=0.3333)");
  Mailing day{.rng = Rng(21)};
  double spent = 0.0;
  for (int n = 0; n < 2000; ++n) {
    day.next();
    const auto made = engine.decide({.actions = 2, .context = day.x}).value();
    spent += made.action;
    engine.learn(made.id, day.outcome(made.action)).check();
  }
  EXPECT_NEAR(spent, 667, 60);
  EXPECT_NEAR(decide_all(engine, kCustomers).mails, 0.3333 * kCustomers, 0.03 * kCustomers);
}

// Part of an outcome makes the round count, and its budget with it.
TEST(OpenRounds, RewardsThatComeBeforeTheirCostsChangeNothing) {
  Engine engine = trained("ccb(rate=0.3333)");
  Mailing now{.rng = Rng(8)};
  double mails = 0.0;
  for (int n = 0; n < kCustomers; ++n) {
    now.next();
    const auto made = engine.decide({.actions = 2, .context = now.x}).value();
    const Outcome whole = now.outcome(made.action);
    mails += made.action;
    engine.learn(made.id, {.reward = whole.reward}).check();
  }
  EXPECT_GT(mails, 0.2 * kCustomers);
  EXPECT_LT(mails, 0.4 * kCustomers);
}

// What is given up holds nothing and has no budget.
TEST(OpenRounds, DecisionsThatAreCancelledLeaveTheNextOnesAsTheyWere) {
  Engine engine = trained("ccb(rate=0.3333)");
  Mailing now{.rng = Rng(8)};
  LookScratch scratch;
  const std::vector<double> x = {1.0, 0.7};
  const double before = engine.look({.actions = 2, .context = x}, scratch).value().prices[0];
  std::vector<std::uint64_t> ids;
  for (int n = 0; n < 500; ++n) {
    now.next();
    ids.push_back(engine.decide({.actions = 2, .context = now.x}).value().id);
  }
  for (const std::uint64_t id : ids) engine.cancel(id).check();
  EXPECT_EQ(engine.look({.actions = 2, .context = x}, scratch).value().prices[0], before);
}

// A snapshot knows how many are open: the next decision has the same price.
TEST(OpenRounds, SurviveASnapshot) {
  Engine engine = trained("ccb(rate=0.3333)");
  decide_all(engine, 700);
  Engine again = Engine::restore(engine.snapshot()).value();
  LookScratch scratch;
  const std::vector<double> x = {1.0, 0.7};
  EXPECT_EQ(engine.look({.actions = 2, .context = x}, scratch).value().prices[0],
            again.look({.actions = 2, .context = x}, scratch).value().prices[0]);
}

}  // namespace
}  // namespace rein
