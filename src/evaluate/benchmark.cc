#include "evaluate/benchmark.h"

#include <algorithm>
#include <limits>

#include "base/math.h"
#include "base/size.h"
#include "base/units.h"

namespace rein {
namespace {

// Accuracy of the long-term value, per round. A value that did not reach it is not reported.
constexpr double kAcceptedGap = 1e-6;

}  // namespace

Benchmark::Benchmark(const Shape& shape, const BenchmarkOptions& options)
    : setting_(options.setting),
      units_(units_of(shape)),
      caps_(shape.costs.size()),
      lowest_caps_(shape.costs.size(), -1.0),
      budgets_(shape.costs.size()),
      mixture_(shape.actions, static_cast<int>(shape.costs.size())) {
  plain_ = std::all_of(units_.begin(), units_.end(), [](double unit) { return unit == 1.0; });
  for (std::size_t i = 0; i < caps_.size(); ++i) {
    if (has_budget(setting_) && !options.budgets.empty()) {
      budgets_[i] = options.budgets[i] / units_[i + 1];
      caps_[i] = budgets_[i] / static_cast<double>(options.rounds);
    }
    if (setting_ == Setting::kSlater) caps_[i] -= options.margin;
  }
  if (options.long_term) long_term_.emplace(shape.actions, static_cast<int>(caps_.size()));
  if (!plain_) values_.resize(units_.size() * as_size(shape.actions));
  if (setting_ == Setting::kAlmostSure) highest_.resize(caps_.size() * as_size(shape.actions));
}

double Benchmark::best(const World& world, std::span<const double> means, int actions) {
  std::span<const double> values = means;
  if (!plain_) {
    for (std::size_t h = 0; h < units_.size(); ++h) {
      for (std::size_t a = h * as_size(actions); a < (h + 1) * as_size(actions); ++a) {
        values_[a] = means[a] / units_[h];
      }
    }
    values = values_;
  }
  if (long_term_) long_term_->add(values, actions);
  if (stationary_prices_) stationary_ += best_priced(values, actions);
  if (setting_ == Setting::kAlmostSure) return best_safe(world, values, actions) * units_[0];
  if (setting_ == Setting::kSlater) margin_ = std::min(margin_, margin_of(values, actions));
  const MixtureAnswer answer = mixture_.solve(values, actions, caps_);
  if (answer.relaxed > 0.0) ++infeasible_;
  return answer.value * units_[0];
}

double Benchmark::margin() const { return setting_ == Setting::kSlater ? margin_ : kNan; }

// max_p min_i -<p, g_i>, by how far caps of -1 must be relaxed.
double Benchmark::margin_of(std::span<const double> values, int actions) {
  if (lowest_caps_.size() == 1) {
    const auto costs = values.subspan(as_size(actions), as_size(actions));
    return -*std::min_element(costs.begin(), costs.end());
  }
  return 1.0 - mixture_.solve(values, actions, lowest_caps_).relaxed;
}

// The best action whose costs can never be positive. If there is none, or the world cannot say, it
// takes actions whose mean costs are at most 0. If there are none of those either, it takes the
// actions that come closest.
double Benchmark::best_safe(const World& world, std::span<const double> values, int actions) {
  double over = 0.0;
  const std::size_t size = caps_.size() * as_size(actions);
  const std::span<double> highest(highest_.data(), size);
  if (world.highest(highest)) {
    for (std::size_t j = 0; j < size; ++j) highest[j] /= units_[1 + j / as_size(actions)];
    const double value = best_within(values, highest, actions, &over);
    if (over <= 0.0) return value;
    ++infeasible_;
    return best_within(values, values.subspan(as_size(actions), size), actions, &over);
  }
  const double value = best_within(values, values.subspan(as_size(actions), size), actions, &over);
  if (over > 0.0) ++infeasible_;
  return value;
}

// The best reward among the actions whose costs are all at most 0. If there are none, at most the
// smallest `over` that leaves an action.
double Benchmark::best_within(std::span<const double> values, std::span<const double> costs,
                              int actions, double* over) const {
  double least = std::numeric_limits<double>::infinity();
  double best = 0.0;
  for (int a = 0; a < actions; ++a) {
    double largest_cost = 0.0;
    for (std::size_t i = 0; i < caps_.size(); ++i) {
      largest_cost = std::max(largest_cost, costs[i * as_size(actions) + as_size(a)]);
    }
    const double reward = values[as_size(a)];
    if (largest_cost < least || (largest_cost == least && reward > best)) {
      least = largest_cost;
      best = reward;
    }
  }
  *over = least;
  return best;
}

// max_a (f - prices . g)
double Benchmark::best_priced(std::span<const double> values, int actions) const {
  double best = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < actions; ++a) {
    double score = values[as_size(a)];
    for (int i = 0; i < stationary_prices_->size(); ++i) {
      score -= (*stationary_prices_)[i] * values[as_size(i + 1) * as_size(actions) + as_size(a)];
    }
    best = std::max(best, score);
  }
  return best;
}

double Benchmark::best_stationary() const {
  if (!stationary_prices_) return kNan;
  double value = stationary_;
  for (int i = 0; i < stationary_prices_->size(); ++i) {
    value += (*stationary_prices_)[i] * budgets_[as_size(i)];
  }
  return value * units_[0];
}

double Benchmark::best_long_term() {
  if (!long_term_) return kNan;
  const LongTermAnswer answer = long_term_->solve(budgets_);
  return answer.gap <= kAcceptedGap ? answer.value * units_[0] : kNan;
}

}  // namespace rein
