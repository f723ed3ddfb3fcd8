// slack_then_trap: the three queues of the quadratic price do what the page says.
#include <gtest/gtest.h>

#include "rein/policy.h"
#include "world/worlds.h"

namespace rein {
namespace {

constexpr int kRounds = 20'000;
constexpr int kSlack = kRounds / 4;

struct Played {
  double slack_reward = 0.0;
  double trap_reward = 0.0;
  double trap_cost = 0.0;
};

// u=1, so that V = sqrt(K T) = 200. With vaw's own bound the price would react too late for 20 000
// rounds.
Played play(const std::string& queue) {
  const auto world = world_of("slack_then_trap", 1, kRounds);
  const auto policy = make_policy("ccb(setting=expectation,u=1,pricer=quadratic(queue=" + queue +
                                      "),tuning=theory)",
                                  world->shape())
                          .value();
  Rng rng(1);
  Scratch scratch(*policy);
  Decision decision(*policy);
  Outcome outcome;
  Played played;
  for (int t = 0; t < kRounds; ++t) {
    const Round& round = world->next();
    policy->decide(round, rng, scratch, decision).check();
    world->outcome(decision.action, outcome);
    policy->learn(round, decision, outcome).check();
    (t < kSlack ? played.slack_reward : played.trap_reward) += outcome.reward;
    if (t >= kSlack) played.trap_cost += outcome.costs[0];
  }
  return played;
}

TEST(SlackThenTrap, ContextsAndMeansAreThoseOfThePage) {
  const auto world = world_of("slack_then_trap");
  for (int t = 0; t < 200; ++t) {
    const Round& round = world->next();
    EXPECT_EQ(round.context[t < 50 ? 0 : 1], 1.0);
    EXPECT_EQ(means_of(*world, 2), t < 50 ? (std::vector<double>{1.0, 0.0, -1.0, 1.0})
                                          : (std::vector<double>{0.0, 1.0, -1.0, 1.0}));
  }
}

TEST(SlackThenTrap, TellsTheThreeQueuesApart) {
  const Played positive = play("positive");
  const Played reflect = play("reflect");
  const Played literal = play("literal");
  // In the slack, literal rewards cost and the others do not.
  EXPECT_GT(positive.slack_reward, 0.9 * kSlack);
  EXPECT_GT(reflect.slack_reward, 0.9 * kSlack);
  EXPECT_LT(literal.slack_reward, 0.7 * kSlack);
  // In the trap, positive spends what it saved; reflect does not.
  EXPECT_GT(positive.trap_cost, 0.9 * kSlack);
  EXPECT_LT(reflect.trap_cost, 0.3 * kSlack);
  EXPECT_GT(positive.trap_reward, reflect.trap_reward + 0.3 * kSlack);
}

}  // namespace
}  // namespace rein
