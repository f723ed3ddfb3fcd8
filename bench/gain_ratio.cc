// How far the gain of the default lies from the theorem's, by which its guarantee could be kept (docs/lab/guard.md).
//
//     gain_ratio POLICY WORLD ROUNDS [WORLD ROUNDS]...
//
// The theorem's gamma is sqrt(K S / U) / ((m + 1) z), with z = max(1, largest squared price), S their sum and U
// the certified bound so far, at least 1. Prints the smallest and the largest ratio over the run, looked at after
// every fifty rounds: in the declared units, and in units of the spread of the rewards seen. That spread is
// within actions, each counted once, and between their means.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "rein/policy.h"
#include "rein/world.h"

namespace rein {
namespace {

double unit_of(const Range& range) { return std::max(std::abs(range.low), std::abs(range.high)); }

struct Rewards {  // of one action
  double count = 0.0, mean = 0.0, squares = 0.0;
  void add(double reward) {
    const double apart = reward - mean;
    mean += apart / ++count;
    squares += apart * (reward - mean);
  }
};

double spread_of(const std::vector<Rewards>& actions) {
  double within = 0.0, known = 0.0, least = 1e300, most = -1e300;
  for (const Rewards& action : actions) {
    if (action.count < 2.0) continue;
    within += action.squares / action.count;
    known += 1.0;
    least = std::min(least, action.mean);
    most = std::max(most, action.mean);
  }
  return known == 0.0 ? 0.0 : std::sqrt(within / known + (most - least) * (most - least));
}

void play(const char* spec, const char* world_spec, int rounds) {
  const auto world = make_world(world_spec, 1, rounds).value();
  const auto policy = make_policy(spec, world->shape()).value();
  const Shape& shape = world->shape();
  const double unit = unit_of(shape.reward);
  Rng rng(1, 1);
  Scratch scratch(*policy);
  Decision decision(*policy);
  Outcome outcome;
  std::vector<Rewards> actions(static_cast<std::size_t>(shape.actions));
  double sum = 0.0, low = 1e300, high = 0.0, low_spread = 1e300, high_spread = 0.0;
  for (int t = 1; t <= rounds; ++t) {
    const Round& round = world->next();
    policy->decide(round, rng, scratch, decision).check();
    double z = 1.0;
    for (int i = 0; i < decision.prices.size(); ++i) {
      const double price = decision.prices[i] * unit_of(shape.costs[static_cast<std::size_t>(i)].range) / unit;
      z = std::max(z, price * price);
    }
    sum += z;
    world->outcome(decision.action, outcome);
    policy->learn(round, decision, outcome).check();
    actions[static_cast<std::size_t>(round.id(decision.action))].add(outcome.reward);
    if (t % 50 != 0) continue;
    const double u = std::max(1.0, policy->state().u), heads = shape.heads();
    const double ratio = decision.gamma / (std::sqrt(round.actions * sum / u) / (heads * z));
    const double spread = spread_of(actions);
    low = std::min(low, ratio * unit);
    high = std::max(high, ratio * unit);
    if (spread == 0.0) continue;
    low_spread = std::min(low_spread, ratio * spread);
    high_spread = std::max(high_spread, ratio * spread);
  }
  fmt::print("{}: {:.0f} to {:.0f}; in spreads {:.0f} to {:.0f}; U {:.0f}\n", world_spec, low, high,
             low_spread, high_spread, policy->state().u);
}

}  // namespace
}  // namespace rein

int main(int argc, char** argv) {
  if (argc < 4 || argc % 2 != 0) {
    fmt::print(stderr, "gain_ratio POLICY WORLD ROUNDS [WORLD ROUNDS]...\n");
    return 2;
  }
  for (int i = 2; i < argc; i += 2) rein::play(argv[1], argv[i], std::atoi(argv[i + 1]));
  return 0;
}
