#include "policy/peers/banditq.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "base/units.h"
#include "explore/distribution.h"
#include "policy/base.h"
#include "policy/peers/peer.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kMostLoss = 1e100;  // of one round, however unlikely its action was

class BanditQ final : public PolicyBase {
 public:
  struct Options {
    double v = 1.0;
    double eta_scale = 1.0;
    std::vector<double> targets;  // one per action id, in units; empty: none
  };
  BanditQ(const Spec& spec, const Shape& shape, const Rules& rules, const Options& options)
      : PolicyBase(spec, shape, nullptr, rules),
        options_(options),
        losses_(size()),
        queues_(options.targets.size()),
        plays_(size()),
        sums_(size() * as_size(shape.heads())),
        debts_(costs()) {}

 private:
  std::size_t size() const { return as_size(shape().actions); }
  double owed(int id) const { return queues_.empty() ? 0.0 : queues_[id]; }

  // M: no surrogate is larger in size.
  double most() const {
    double most = options_.v;
    if (!queues_.empty()) most += *std::max_element(queues_.begin(), queues_.end());
    for (int j = 0; j < debts_.size(); ++j) most += debts_[j] * (1.0 + std::abs(rules().rate[j]));
    return most;
  }

  std::span<const double> choose(const Round& round, const Books& books, Scratch&,
                                 Decision& decision) const override {
    estimate(round, decision.estimates);
    const double m = most();
    const double k = round.actions;
    const double eta = options_.eta_scale * std::sqrt(log(k) / (k * (squares_ + m * m)));
    const std::span<double> scores = decision.scores(), p = decision.probabilities();
    double least = losses_[round.id(0)];
    for (int a = 1; a < round.actions; ++a) least = std::min(least, losses_[round.id(a)]);
    for (int a = 0; a < round.actions; ++a) {
      scores[a] = -weigh(eta, losses_[round.id(a)] - least);
      p[a] = exp(scores[a]);
    }
    normalise(p);
    decision.gamma = eta;
    Costs prices = debts_;
    for (int j = 0; j < prices.size(); ++j) {
      prices[j] = std::max(prices[j] + books.owed(j), 0.0) / options_.v;
    }
    decision.prices = in_shape(prices);
    return {};
  }

  // Plain means, so that reports and reservations have something to go by.
  void estimate(const Round& round, Estimates& estimates) const {
    for (int a = 0; a < round.actions; ++a) {
      const auto id = as_size(round.id(a));
      estimates.width()[a] = 1.0 / (2.0 + plays_[id]);
      for (int h = 0; h < estimates.heads(); ++h) {
        const Range& range = h == 0 ? shape().reward : shape().costs[h - 1].range;
        const double mean = sums_[as_size(h) * size() + id];
        estimates.mean(h)[a] =
            std::clamp(plays_[id] > 0.0 ? mean / plays_[id] : 0.0, range.low, range.high);
      }
    }
  }

  void commit(const Lesson& lesson, Books&) override {
    const Round& round = lesson.round;
    const Decision& decision = lesson.decision;
    const Outcome& outcome = lesson.outcome;
    const Costs& costs = lesson.queued;
    const auto id = as_size(round.id(decision.action));
    const double reward = outcome.reward / unit(0);
    const double m = most();
    double surrogate = (owed(round.id(decision.action)) + options_.v) * reward;
    for (int j = 0; j < costs.size(); ++j) surrogate -= debts_[j] * costs[j];
    const double loss = std::max(m - surrogate, 0.0) / decision.probability;
    losses_[id] += std::min(loss, kMostLoss);
    squares_ += m * m;

    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const double got = i == id ? reward : 0.0;
      queues_[i] = std::max(queues_[i] + options_.targets[i] - got, 0.0);
    }
    for (int j = 0; j < costs.size(); ++j) debts_[j] = std::max(debts_[j] + costs[j], 0.0);
    plays_[id] += 1.0;
    sums_[id] += outcome.reward;
    for (int j = 0; j < costs.size(); ++j) {
      sums_[as_size(j + 1) * size() + id] += outcome.costs[j];
    }
  }

  void tell(PolicyState& state) const override {
    state.queues = debts_;
    state.parameters = Costs(debts_.size(), options_.v);
  }

  void save_parts(ByteWriter& out) const override {
    out.parts(losses_, queues_, plays_, sums_, debts_, squares_);
  }
  Result<> load_parts(ByteReader& in) override {
    in.parts(losses_, queues_, plays_, sums_, debts_, squares_);
    return in.status();
  }

  Options options_;
  std::vector<double> losses_;  // L, one per action id
  std::vector<double> queues_;  // Q, one per action id where there are targets
  std::vector<double> plays_;
  std::vector<double> sums_;  // [head][id], in the units of the shape
  Costs debts_;               // P
  double squares_ = 0.0;      // sum of M^2
};

}  // namespace

Result<std::unique_ptr<Policy>> make_banditq(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read);
  BanditQ::Options options;
  const double v_scale = read.number("v_scale", 1.0, {.low = kMinScale, .high = kMaxScale});
  options.eta_scale = read.number("eta_scale", 1.0, {.low = kMinScale, .high = kMaxScale});
  options.targets = read.numbers("targets", {.low = -kMaxNumber, .high = kMaxNumber});
  const auto k = as_size(shape.actions);
  if (options.targets.size() == 1) options.targets.resize(k, options.targets[0]);
  if (!options.targets.empty() && options.targets.size() != k) {
    read.refuse(fmt::format("key \"targets\" has {} numbers; accepted: one, or one per action ({})",
                            options.targets.size(), k));
  }
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = plan_peer(spec, keys, shape, own);
  if (!planned) return planned.failure();
  const Plan& plan = planned.value();
  for (double& target : options.targets) target /= unit_of(shape.reward);
  options.v = v_scale * std::sqrt(static_cast<double>(plan.terms.rounds));
  return std::make_unique<BanditQ>(spec, plan.shape, peer_rules(plan), options);
}

}  // namespace rein
