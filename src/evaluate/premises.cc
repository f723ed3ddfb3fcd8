#include "evaluate/premises.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/size.h"
#include "base/units.h"
#include "policy/toward.h"

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kErrorRounding = 1.0 + 1e-9;  // allows for rounding when a sum meets a bound

double norm_of(const Spec& oracle);

// Of an oracle, or of a list of them.
double norm_of(const SpecValue& value) {
  if (const Spec* one = std::get_if<Spec>(&value.is)) return norm_of(*one);
  double least = kInfinity;
  if (const auto* list = std::get_if<SpecValue::List>(&value.is)) {
    for (const SpecValue& each : *list) least = std::min(least, norm_of(each));
  }
  return least;
}

// The norm that an oracle takes features to keep, the least of those that it is made of: `of` one
// or many, a pair. What they are by default is linear. Oracles that assume no norm have none.
double norm_of(const Spec& oracle) {
  const bool pair = oracle.name == "pair";
  if (pair || oracle.name == "optimistic" || oracle.name == "stack") {
    double least = kInfinity;
    for (const char* key : {pair ? "reward" : "of", pair ? "cost" : "of"}) {
      const SpecValue* value = oracle.find(key);
      least = std::min(least, value == nullptr ? 1.0 : norm_of(*value));
    }
    return least;
  }
  const bool linear = oracle.name == "vaw" || oracle.name == "ridge" || oracle.name == "ons" ||
                      oracle.name == "adagrad" || oracle.name == "kernel";
  if (!linear) return kInfinity;
  const SpecValue* given = oracle.find("norm");
  const double* norm = given == nullptr ? nullptr : std::get_if<double>(&given->is);
  return norm == nullptr ? 1.0 : *norm;
}

double norm_of_policy(const Spec& policy) {
  const SpecValue* all = policy.find("oracle");
  const double usual = all == nullptr ? 1.0 : norm_of(*all);  // vaw
  double least = kInfinity;
  for (const char* key : {"reward_oracle", "cost_oracle"}) {
    const SpecValue* value = policy.find(key);
    least = std::min(least, value == nullptr ? usual : norm_of(*value));
  }
  return least;
}

}  // namespace

Premises::Premises(const Policy& policy, const Shape& world, const RunOptions& options)
    : options_(options), world_(&world) {
  // A policy with a goal of its own solves another problem than the world's.
  if (!has_goal(policy.spec())) terms_ = policy.state().theorem;
  if (!terms_) return;
  units_ = units_of(policy.shape(), terms_->setting == Setting::kAlmostSure);
  errors_.resize(units_.size());
  distance_.resize(units_.size());
  nearest_.resize(units_.size());
  const std::size_t actions = as_size(world.actions);
  means_.resize(units_.size() * actions);
  highest_.resize(world.costs.size() * actions);
  norm_ = norm_of_policy(policy.spec());
}

void Premises::add(const World& world, const Round& round, const Decision& decision,
                   std::span<const double> means) {
  if (!terms_) return;
  add_norm(round, decision.action);
  if (!world_->truth || !known_) return;
  if (world_->nearest) add_distance(round, decision.action, means);
  if (terms_->setting != Setting::kAlmostSure) {
    add_errors(decision, means, round.actions);
  } else if (positive_means(world, means, round.actions)) {
    add_errors(decision, means_, round.actions);
  } else {
    known_ = false;
  }
  end_block();
}

// A cost without noise, or one that is never positive or never negative, has a positive part whose
// mean follows from its own mean.
bool Premises::positive_means(const World& world, std::span<const double> means, int actions) {
  const std::size_t n = as_size(actions);
  if (!world.highest(highest_)) return false;
  std::copy_n(means.begin(), n, means_.begin());
  for (std::size_t j = 0; j < world_->costs.size() * n; ++j) {
    const double mean = means[n + j];
    const bool positive = world_->costs[j / n].range.low >= 0.0;
    if (!positive && highest_[j] > 0.0 && highest_[j] != mean) return false;
    means_[n + j] = std::max(mean, 0.0);
  }
  return true;
}

void Premises::add_errors(const Decision& decision, std::span<const double> means, int actions) {
  const std::span<const double> chances = decision.probabilities();
  const std::size_t n = as_size(actions);
  for (int h = 0; h < decision.estimates.heads(); ++h) {
    const std::span<const double> said = decision.estimates.mean(h);
    const std::span<const double> mean = means.subspan(as_size(h) * n, n);
    double sum = 0.0;
    for (std::size_t a = 0; a < n; ++a) {
      const double miss = (said[a] - mean[a]) / units_[as_size(h)];
      sum += chances[a] * miss * miss;
    }
    errors_[as_size(h)] += sum;
  }
}

// Without a horizon the bounds use U of every block of rounds, so the errors must have kept to it at
// the end of each.
void Premises::end_block() {
  ++rounds_;
  if (!terms_->anytime || Terms::blocks(rounds_ + 1) == Terms::blocks(rounds_)) return;
  ends_.push_back(*std::max_element(errors_.begin(), errors_.end()));
}

bool Premises::kept_errors(const Terms& terms, const BoundOptions& options) const {
  for (std::size_t j = 0; j < ends_.size(); ++j) {
    const Terms then = terms.after((std::int64_t{2} << j) - 1);
    if (!(ends_[j] <= error_bound(then, options) * kErrorRounding)) return false;
  }
  const double error = *std::max_element(errors_.begin(), errors_.end());
  return error <= error_bound(terms, options) * kErrorRounding;
}

void Premises::add_distance(const Round& round, int action, std::span<const double> means) {
  world_->nearest->evaluate(0, round, action, nearest_);
  for (std::size_t h = 0; h < nearest_.size(); ++h) {
    const double miss =
        (nearest_[h] - means[h * as_size(round.actions) + as_size(action)]) / units_[h];
    distance_[h] += miss * miss;
  }
}

void Premises::add_norm(const Round& round, int action) {
  double squares = 0.0;
  for (double x : round.context) squares += x * x;
  if (!round.features.empty()) {
    const std::size_t size = round.features.size() / as_size(round.actions);
    for (double x : round.features.subspan(as_size(action) * size, size)) squares += x * x;
  } else if (!round.sparse.begin.empty()) {
    for (int j = round.sparse.begin[action]; j < round.sparse.begin[action + 1]; ++j) {
      squares += round.sparse.value[as_size(j)] * round.sparse.value[as_size(j)];
    }
  }
  if (squares > norm_ * norm_ * kErrorRounding) ++over_norm_;
}

NoBound Premises::verdict(const Terms& terms, const Totals& totals,
                          const BoundOptions& options) const {
  if (!terms.anytime && terms.rounds != options_.rounds) return NoBound::kHorizon;
  if (options_.delay > 0) return NoBound::kDelay;
  if (!world_->truth) return NoBound::kMeans;
  if (options_.benchmark && *options_.benchmark != terms.setting) return NoBound::kBenchmark;
  if (totals.infeasible_rounds > 0) return NoBound::kInfeasible;
  if (!known_) return NoBound::kPositive;
  if (over_norm_ > 0) return NoBound::kNorm;
  if (!kept_errors(terms, options)) return NoBound::kErrors;
  return NoBound::kNone;
}

void Premises::judge(const Policy& policy, Totals& totals) const {
  totals.u = policy.state().u;
  if (!terms_) return;
  totals.over_norm = static_cast<double>(over_norm_);
  const Terms terms = terms_->after(options_.rounds);
  BoundOptions options{
      .margin = options_.margin, .share = options_.share, .rounds = options_.rounds};
  if (options.margin == 0.0 && totals.margin > 0.0) {
    options.margin = totals.margin;
    options.margin_is_measured = true;
  }
  if (world_->nearest) {
    totals.misspecified = *std::max_element(distance_.begin(), distance_.end());
    options.misspecified = totals.misspecified;
  }
  totals.no_bound = verdict(terms, totals, options);
  if (totals.no_bound == NoBound::kErrors) totals.u_bound = error_bound(terms, options);
  if (totals.no_bound != NoBound::kNone) return;
  totals.u_bound = error_bound(terms, options);
  totals.bounds = bounds(policy, options);
  if (!totals.bounds.regret) totals.no_bound = NoBound::kConstants;
  if (terms.setting != Setting::kExpectation || terms.anytime) return;
  const double root = terms.root() * units_[0];
  totals.premise = std::max({0.0, -totals.regret_average / root, -totals.regret / root});
  options.premise = totals.premise;
  totals.bounds_with_premise = bounds(policy, options);
}

}  // namespace rein
