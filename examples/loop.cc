// The loop of the README: 50 000 rounds, four actions, a budget of 1000.
#include <cstdio>
#include <vector>

#include "rein/rein.h"

int main() {
  rein::Shape shape{.actions = 4, .context = 2, .costs = {{.name = "dollars", .range = {0, 1}}}};
  rein::Rng rng(7);
  auto policy = rein::make_policy("ccb(budget=1000,rounds=50000)", shape).value();
  rein::Scratch scratch(*policy);
  rein::Decision d(*policy);
  for (int t = 0; t < 50000; ++t) {
    const std::vector<double> x = {rng.uniform(), rng.uniform()};
    const rein::Round round{.actions = 4, .context = x};
    policy->decide(round, rng, scratch, d).check();  // d.action, d.probability, d.probabilities()
    const double quality = 0.2 * d.action * x[0], price = 0.02 * d.action;
    policy->learn(round, d, {.reward = quality, .costs = {price}}).check();
  }
  const rein::PolicyState state = policy->state();
  std::printf("reward %.0f, spent %.0f dollars\n", state.reward, state.spent[0]);
}
