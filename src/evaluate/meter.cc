#include "evaluate/meter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/math.h"
#include "base/size.h"
#include "base/units.h"

namespace rein {

void Largest::add(double x) {
  const auto above = std::greater<double>();
  if (heap_.size() == room_) {
    if (x <= heap_.front()) return;
    std::pop_heap(heap_.begin(), heap_.end(), above);
    heap_.back() = x;
  } else {
    heap_.push_back(x);
  }
  std::push_heap(heap_.begin(), heap_.end(), above);
}

Meter::Meter(const Shape& shape, const MeterOptions& options)
    : options_(options), units_(units_of(shape)), errors_(units_.size()) {
  const int m = shape.heads() - 1;
  for (Costs* costs : {&totals_.ccv, &totals_.ccv_max, &totals_.ccv_average, &totals_.ccv_positive,
                       &totals_.ccv_share, &totals_.queue_rms, &totals_.spend, &totals_.excess}) {
    *costs = Costs(m);
  }
  // The quantile: at most (1 - share) of the rounds lie above it.
  const double others = std::floor((1.0 - options.share) * static_cast<double>(options.rounds));
  largest_.assign(as_size(m), Largest(static_cast<std::size_t>(others) + 1));
  totals_.ccv_max = Costs(m, -std::numeric_limits<double>::infinity());
  curve_.ccv.resize(as_size(m));
  curve_.price.resize(as_size(m));
}

void Meter::add(const PlayedRound& played) {
  ++rounds_;
  const double mean = played.means[as_size(played.decision.action)];
  mean_reward_ += mean;
  totals_.reward += played.outcome.reward;
  totals_.regret += played.best - mean;
  regret_sum_ += totals_.regret;
  if (played.decision.action != played.decision.best) ++explored_;
  if (options_.means_known && is_unsafe(played)) totals_.unsafe_rounds += 1.0;
  add_costs(played.outcome);
  if (options_.errors != MeterOptions::Errors::kNone) add_errors(played);
  add_point(played.decision.prices);
}

// Whether some cost was expected to pass its share of the budget. Rounding is no violation.
bool Meter::is_unsafe(const PlayedRound& played) const {
  constexpr double kRounding = 1e-9;
  const std::span<const double> p = played.decision.probabilities();
  const std::size_t n = as_size(played.actions);
  if (p.size() != n) return false;
  for (int i = 0; i < totals_.ccv.size(); ++i) {
    double allowed = 0.0;
    if (!options_.budgets.empty()) {
      allowed = options_.budgets[as_size(i)] / static_cast<double>(options_.rounds);
    }
    double expected = 0.0;
    for (std::size_t a = 0; a < n; ++a) expected += p[a] * played.means[(as_size(i) + 1) * n + a];
    if (expected > allowed + kRounding * units_[as_size(i) + 1]) return true;
  }
  return false;
}

void Meter::add_refused(double best) {
  ++rounds_;
  totals_.refused_rounds += 1;
  totals_.regret += best;
  regret_sum_ += totals_.regret;
  add_costs({.reward = 0.0, .costs = Costs(totals_.ccv.size())});
  add_point({});
}

void Meter::add_costs(const Outcome& outcome) {
  bool over = false;
  for (int i = 0; i < totals_.ccv.size(); ++i) {
    const double cost = outcome.costs[i];
    const double before = totals_.ccv[i];
    const double queue = std::max(before, 0.0) / units_[as_size(i) + 1];
    totals_.ccv_average[i] += before;
    totals_.queue_rms[i] += queue * queue;
    largest_[as_size(i)].add(before);
    totals_.ccv[i] += cost;
    totals_.ccv_max[i] = std::max(totals_.ccv_max[i], totals_.ccv[i]);
    totals_.ccv_positive[i] += std::max(cost, 0.0);
    if (!options_.budgets.empty()) {
      over = over || totals_.ccv[i] > options_.budgets[as_size(i)];
    }
  }
  stopped_ = stopped_ || over;
  if (!stopped_) totals_.reward_at_stop += outcome.reward;
}

void Meter::add_errors(const PlayedRound& played) {
  const Estimates& estimates = played.decision.estimates;
  const int action = played.decision.action;
  const int heads = options_.errors == MeterOptions::Errors::kReward ? 1 : estimates.heads();
  for (int h = 0; h < heads; ++h) {
    const auto head = as_size(h);
    const double mean = played.means[head * as_size(played.actions) + as_size(action)];
    const double miss = (estimates.mean(h)[as_size(action)] - mean) / units_[head];
    errors_[head] += miss * miss;
  }
}

void Meter::add_point(const Costs& prices) {
  const std::int64_t points = options_.curve_points;
  if (points == 0 ||
      rounds_ * points / options_.rounds == (rounds_ - 1) * points / options_.rounds) {
    return;
  }
  curve_.rounds.push_back(rounds_);
  curve_.reward.push_back(totals_.reward);
  curve_.regret.push_back(totals_.regret);
  curve_.explored.push_back(static_cast<double>(explored_) / static_cast<double>(rounds_));
  for (int i = 0; i < totals_.ccv.size(); ++i) {
    curve_.ccv[as_size(i)].push_back(totals_.ccv[i]);
    curve_.price[as_size(i)].push_back(prices.empty() ? 0.0 : prices[i]);
  }
}

Totals Meter::totals() const {
  Totals totals = totals_;
  const auto rounds = static_cast<double>(rounds_);
  totals.regret_average = regret_sum_ / rounds;
  totals.explored = static_cast<double>(explored_) / rounds;
  totals.spend = totals.ccv;
  for (int i = 0; i < totals.ccv.size(); ++i) {
    const auto at = as_size(i);
    const double budget = options_.budgets.empty() ? 0.0 : options_.budgets[at];
    totals.ccv_average[i] /= rounds;
    totals.queue_rms[i] = std::sqrt(totals.queue_rms[i] / rounds) * units_[at + 1];
    totals.ccv_share[i] = rounds_ > 0 ? largest_[at].least() : kNan;
    totals.excess[i] = std::max(0.0, totals.spend[i] - budget);
  }
  if (options_.budgets.empty()) totals.reward_at_stop = kNan;
  totals.oracle_error = options_.errors == MeterOptions::Errors::kNone
                            ? kNan
                            : *std::max_element(errors_.begin(), errors_.end());
  totals.regret_long_term = kNan;
  totals.regret_stationary = kNan;
  totals.premise = kNan;
  if (!options_.means_known) totals.unsafe_rounds = kNan;
  totals.u_bound = kNan;
  totals.misspecified = kNan;
  return totals;
}

}  // namespace rein
