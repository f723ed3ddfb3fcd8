// The example of docs/own.md: a potential that the caller brings, passed to ccb as an argument.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "rein/policy.h"

class Quartic final : public rein::OwnPotential {
 public:
  std::string name() const override { return "quartic"; }
  double value(int, double queue) const override { return queue * slope(0, queue) / 4.0; }
  double slope(int, double queue) const override {
    const double q = std::max(queue, 0.0);
    return q * q * q / 1e6;
  }
};

int main() {
  const rein::Shape shape{.actions = 2, .context = 1, .costs = {{.name = "risk"}}};
  auto policy = rein::make_policy("ccb(pricer=own(name=quartic),rounds=1000,tuning=theory)", shape,
                                  {.potential = std::make_shared<Quartic>()})
                    .value();
  rein::Rng rng(7);
  rein::Scratch scratch(*policy);
  rein::Decision d(*policy);
  for (int t = 0; t < 1000; ++t) {
    const std::vector<double> x = {rng.uniform()};
    const rein::Round round{.actions = 2, .context = x};
    policy->decide(round, rng, scratch, d).check();
    // The second action earns more, and costs what the first one saves.
    policy
        ->learn(round, d,
                {.reward = d.action == 1 ? 0.9 : 0.4, .costs = {d.action == 1 ? 0.5 : -0.5}})
        .check();
  }
  const rein::PolicyState state = policy->state();
  std::printf("reward %.0f, cost %.0f, price %.2f\n", state.reward, state.spent[0], d.prices[0]);
}
