// The example of docs/engine.md for outcomes in parts: the bill of a model call is known at once,
// how good the answer was an hour later, or never.
#include <cstdio>
#include <vector>

#include "rein/engine.h"

int main() {
  const rein::Shape shape{.actions = 2,
                          .context = 1,
                          .costs = {{.name = "dollars", .range = {0, 1}},
                                    {.name = "seconds", .range = {0, 60}}},
                          .rounds = 1000,
                          .budgets = {100, 6000}};
  auto engine = rein::Engine::make("ccb", shape, {.seed = 7}).value();
  const std::vector<double> prompt = {0.5};
  const std::uint64_t id = engine.decide({.actions = 2, .context = prompt}).value().id;

  engine.learn(id, {.costs = {0.02, rein::kMissing}}).check();  // the bill alone
  engine.learn(id, {.reward = 1.0}).check();                    // an hour later
  std::printf("open %lld, billed %.2f dollars\n", static_cast<long long>(engine.state().open),
              engine.state().billed[0]);
  engine.learn(id, {.reward = 1.0, .costs = {0.02, 3.0}}).check();  // what is new is applied
  std::printf("open %lld, rounds %lld\n", static_cast<long long>(engine.state().open),
              static_cast<long long>(engine.policy().state().rounds));
  const auto again = engine.learn(id, {.reward = 0.5});  // another value: a conflict
  std::printf("%s\n", again.reason() == rein::Reason::kConflict ? "conflict" : "applied");
}
