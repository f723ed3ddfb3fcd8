// The example of docs/own.md: an oracle, a potential and a world that the caller brings.
#include "rein/own.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "rein/rng.h"
#include "rein/run.h"

// Estimates the mean outcome of each action and ignores the context.
class Means final : public rein::OwnOracle {
 public:
  explicit Means(const rein::Shape& shape)
      : sums_(shape.heads(), std::vector<double>(shape.actions)), counts_(shape.actions, 1.0) {}

  void predict(const rein::Round& round, rein::Estimates& estimates) const override {
    for (int h = 0; h < estimates.heads(); ++h) {
      for (int a = 0; a < round.actions; ++a) {
        estimates.mean(h)[a] = sums_[h][round.id(a)] / counts_[round.id(a)];
      }
    }
  }
  void learn(const rein::Round& round, int action, std::span<const double> outcomes) override {
    for (std::size_t h = 0; h < outcomes.size(); ++h) sums_[h][round.id(action)] += outcomes[h];
    counts_[round.id(action)] += 1.0;
  }
  void save(rein::ByteWriter& out) const override {
    for (const auto& sum : sums_) out.parts(sum);
    out.parts(counts_);
  }
  rein::Result<> load(rein::ByteReader& in) override {
    for (auto& sum : sums_) in.parts(sum);
    in.parts(counts_);
    return in.status();
  }

 private:
  std::vector<std::vector<double>> sums_;  // [head][action id]; head 0 is the reward
  std::vector<double> counts_;
};

// A price that rises slowly at first, and steeply later.
class Quartic final : public rein::OwnPotential {
 public:
  double value(int, double queue) const override { return queue * slope(0, queue) / 4.0; }
  double slope(int, double queue) const override {
    const double q = std::max(queue, 0.0);
    return q * q * q / 1e6;
  }
};

// The second action earns more, and costs what the first one saves.
class TwoCoins final : public rein::OwnWorld {
 public:
  TwoCoins(std::uint64_t seed, std::int64_t rounds) : rng_(seed) {
    shape_ = {.actions = 2, .context = 1, .costs = {{.name = "risk"}}, .rounds = rounds};
  }
  const rein::Shape& shape() const override { return shape_; }
  const rein::Round& next() override {
    x_ = rng_.uniform();
    round_ = {.actions = 2, .context = {&x_, 1}};
    return round_;
  }
  void outcome(int action, rein::Outcome& out) const override {
    out.reward = action == 1 ? 0.5 + 0.5 * x_ : 0.3;
    out.costs = {action == 1 ? 0.5 : -0.5};
  }
  bool adapts() const override { return false; }

 private:
  rein::Rng rng_;
  rein::Shape shape_;
  rein::Round round_;
  double x_ = 0.0;
};

int main() {
  rein::Own own;
  own.oracles["means"] = [](const rein::Shape& shape) { return std::make_unique<Means>(shape); };
  own.potentials["quartic"] = std::make_shared<Quartic>();
  own.worlds["coins"] = [](std::uint64_t seed, std::int64_t rounds) {
    return std::make_unique<TwoCoins>(seed, rounds);
  };

  const auto world = rein::parse_spec("own(name=coins)").value();
  const auto policies =
      rein::parse_specs(
          "ccb(oracle=own(name=means),u=20),ccb(pricer=own(name=quartic),tuning=theory)")
          .value();
  const auto result = rein::run(world, policies, {.rounds = 1000, .own = own}).value();
  for (const rein::PolicyRun& run : result.policies) {
    std::printf("%s: reward %.0f, cost %.0f\n", run.spec.str().c_str(), run.totals[0].reward,
                run.totals[0].ccv[0]);
  }
}
