// A policy from outside the library: epsilon-greedy on the mean reward of each action, with a rule
// that keeps the budget. It is passed in by name. The library compares it with its own policies,
// and an engine runs it with ids, late outcomes and snapshots.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "rein/engine.h"
#include "rein/run.h"

// Explores with probability 0.1. Otherwise it plays the best mean reward among the actions whose
// mean cost is at most what is left per round.
class Frugal final : public rein::OwnPolicy {
 public:
  explicit Frugal(const rein::Shape& shape)
      : budget_(shape.budgets.at(0)),
        rounds_(static_cast<double>(shape.rounds)),
        counts_(static_cast<std::size_t>(shape.actions)),
        rewards_(counts_.size()),
        costs_(counts_.size()) {}

  void choose(const rein::Round& round, const rein::Costs& spent,
              std::span<double> probabilities) const override {
    const double left = std::max(budget_ - spent[0], 0.0) / std::max(rounds_ - learned_, 1.0);
    int best = 0;
    double most = -1e9;
    for (int a = 0; a < round.actions; ++a) {
      const auto id = static_cast<std::size_t>(round.id(a));
      const double count = std::max(counts_[id], 1.0);
      const double value = costs_[id] / count <= left ? rewards_[id] / count : -costs_[id] / count;
      if (value > most) most = value, best = a;
    }
    for (double& p : probabilities) p = 0.1 / round.actions;
    probabilities[static_cast<std::size_t>(best)] += 0.9;
  }

  void learn(const rein::Round& round, int action, double /*probability*/,
             const rein::Outcome& outcome) override {
    const auto id = static_cast<std::size_t>(round.id(action));
    counts_[id] += 1.0;
    rewards_[id] += outcome.reward;
    costs_[id] += outcome.costs[0];
    learned_ += 1.0;
  }

  // The same list of numbers, written and read.
  void save(rein::ByteWriter& out) const override {
    out.parts(learned_, counts_, rewards_, costs_);
  }
  rein::Result<> load(rein::ByteReader& in) override {
    in.parts(learned_, counts_, rewards_, costs_);
    return in.status();
  }

 private:
  double budget_, rounds_, learned_ = 0.0;
  std::vector<double> counts_, rewards_, costs_;  // by action id
};

int main() {
  rein::Own own;
  own.policies["frugal"] = [](const rein::Shape& shape) { return std::make_unique<Frugal>(shape); };

  // In an experiment, next to policies of the library.
  const auto world = rein::parse_spec("linear(k=4,d=3,costs=positive,rate=0.2)").value();
  const auto policies = rein::parse_specs("own(name=frugal),ccb,uniform").value();
  const auto result = rein::run(world, policies, {.rounds = 2000, .seeds = 4, .own = own}).value();
  for (const rein::PolicyRun& run : result.policies) {
    double reward = 0.0, spent = 0.0;
    for (const rein::Totals& totals : run.totals) {
      reward += totals.reward / 4.0;
      spent += totals.spend[0] / 4.0;
    }
    std::printf("%-18s reward %5.0f, spent %4.0f of %.0f\n", run.spec.str().c_str(), reward, spent,
                result.budgets[0]);
  }

  // In an engine. A snapshot holds what the policy learned.
  const rein::Shape shape{.actions = 2,
                          .context = 1,
                          .costs = {{.name = "dollars", .range = {0.0, 1.0}}},
                          .rounds = 100,
                          .budgets = {30.0}};
  auto engine = rein::Engine::make("own(name=frugal)", shape, {}, own).value();
  const double x = 0.5;
  for (int t = 0; t < 50; ++t) {
    const rein::Engine::Decision ticket = engine.decide({.actions = 2, .context = {&x, 1}}).value();
    const double paid = ticket.action == 1 ? 0.5 : 0.1;
    engine.learn(ticket.id, {.reward = 2.0 * paid - 0.1, .costs = {paid}}).check();
  }
  const auto again = rein::Engine::restore(engine.snapshot(), own).value();
  std::puts(again.state_hash() == engine.state_hash() ? "restored: the same state"
                                                      : "restored: another state");
}
