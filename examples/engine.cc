// The example of docs/engine.md: prompts go to one of three models under a hard budget of 5
// dollars. Answers are judged later, and some never are.
#include "rein/engine.h"

#include <cstdio>
#include <deque>
#include <vector>

int main() {
  const rein::Shape shape{
      .actions = 3, .context = 2, .costs = {{.name = "dollars", .range = {0, 0.05}}}};
  rein::EngineOptions options;
  options.seed = 7;
  options.expire_after = 50;
  options.hard_budget = {5.0};
  options.largest_costs = {{0.0}, {0.01}, {0.05}};  // the largest cost of each model
  options.safe_action = 0;                          // our own model, if the others no longer fit
  auto engine = rein::Engine::make("ccb(budget=4.5,rounds=2000)", shape, options).value();

  rein::Rng rng(1);
  struct Sent {
    std::uint64_t id;
    int action;
    double skill;
  };
  std::deque<Sent> judging;
  int refused = 0;
  for (int now = 0; now < 2000; ++now) {
    engine.tick(now).check();  // decisions open for more than 50 ticks expire
    const std::vector<double> prompt = {rng.uniform(), rng.uniform()};
    auto decision = engine.decide({.actions = 3, .context = prompt});
    if (decision) {
      judging.push_back({decision.value().id, decision.value().action, prompt[0]});
    } else {
      ++refused;  // decision.reason() == rein::Reason::kBudget
    }
    if (judging.size() <= 20) continue;
    const Sent sent = judging.front();
    judging.pop_front();
    if (rng.uniform() < 0.02) continue;  // nobody judged it
    const double most = options.largest_costs[static_cast<std::size_t>(sent.action)][0];
    const rein::Outcome outcome{.reward = sent.action * sent.skill / 2.0,
                                .costs = {most * rng.uniform()}};
    engine.learn(sent.id, outcome).check();
    engine.learn(sent.id, outcome).check();  // sent twice: LearnResult::kDuplicate
  }

  const rein::EngineState state = engine.state();
  const rein::BudgetState& dollars = state.budgets[0];
  std::printf("%lld decisions, %lld learned, %lld expired, %d refused\n",
              static_cast<long long>(state.decided), static_cast<long long>(state.learned),
              static_cast<long long>(state.expired), refused);
  std::printf("%.6f dollars spent and %.6f held of %.2f\n",
              1e-6 * static_cast<double>(dollars.spent), 1e-6 * static_cast<double>(dollars.held),
              1e-6 * static_cast<double>(dollars.limit));

  const auto again = rein::Engine::restore(engine.snapshot()).value();
  std::printf("%s after snapshot and restore: %016llx\n",
              again.state_hash() == engine.state_hash() ? "the same state" : "ANOTHER STATE",
              static_cast<unsigned long long>(engine.state_hash()));
}
