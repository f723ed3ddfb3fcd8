#include "offpolicy/whatif_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/action_warnings.h"
#include "offpolicy/at.h"
#include "offpolicy/band.h"
#include "offpolicy/log_sums.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

// Whether too little of the log carries the point for a band.
bool few(const CurvePoint& point) {
  return std::min(point.effective_size, point.expected_size) < point.least_size ||
         point.variance_rows < kFewestVarianceRows || point.floor_size < kSmallestFloorSize ||
         point.error_rows < kFewestErrorRows ||
         point.balance > point.balance_limit;
}

// How many standard errors the joint band has over the first `count` points.
double joint_reach(const std::vector<CurvePoint>& points, std::span<const double> covariance,
                   std::size_t count, std::uint64_t seed) {
  std::vector<double> first(count * count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t m = 0; m < count; ++m) {
      first[k * count + m] =
          few(points[k]) || few(points[m]) ? 0.0 : covariance[k * points.size() + m];
    }
  }
  return joint_quantile(first, static_cast<int>(count), seed);
}

// `joint`: how much wider the band is than one interval.
CurveValue with_bands(double value, double error, const Reach& one, double joint) {
  return {.value = value,
          .error = error,
          .low = value - one.low * error,
          .high = value + one.high * error,
          .band_low = value - joint * one.low * error,
          .band_high = value + joint * one.high * error};
}

// The ends of an interval of the true curve at a budget. With errors e of the reward and f of the
// cost, the true curve at b is the estimated one at b + f, less e. The ends are the extremes over
// the ellipses of (e, f) with these radii. Where the curve is straight that is the delta method's
// value -+ radius * error; where it bends, or ceases to bind, it is not.
void curved_ends(const PricedClass& policies, double budget, const std::array<double, 3>& plain,
                 double radius, double& low, double& high) {
  constexpr int kSteps = 16;
  const double deviation = std::sqrt(plain[1]);
  const double slope = plain[1] > 0.0 ? plain[2] / plain[1] : 0.0;
  const double rest = std::sqrt(std::max(plain[0] - slope * plain[2], 0.0));
  for (const int side : {-1, 1}) {
    double reward = 0.0;
    for (int j = 0; j <= kSteps; ++j) {
      const double t = side * radius * j / kSteps;
      policies.reward_at(budget + t * deviation, reward);  // the last one below the least spend
      const double middle = reward - slope * t * deviation;
      const double reach = rest * std::sqrt(std::max(radius * radius - t * t, 0.0));
      if (j == 0 && side < 0) low = high = middle;
      low = std::min(low, middle - reach);
      high = std::max(high, middle + reach);
    }
  }
}

void curved_ends(const PricedClass& policies, double budget, const std::array<double, 3>& plain,
                 const Reach& reach, double& low, double& high) {
  double other = 0.0;
  curved_ends(policies, budget, plain, reach.low, low, other);
  curved_ends(policies, budget, plain, reach.high, other, high);
}

}  // namespace

Result<void> check_whatif(const LogOutline& log, const WhatifOptions& options) {
  if (options.cost < 1 || options.cost >= log.heads) {
    return Error{fmt::format("whatif: found cost {}; accepted: 1 to {}, a cost of the log",
                             options.cost, log.heads - 1)};
  }
  if (options.budgets.empty() || options.budgets.size() > at(kMaxWhatifBudgets)) {
    return Error{fmt::format("whatif: found {} budgets; accepted: 1 to {}", options.budgets.size(),
                             kMaxWhatifBudgets)};
  }
  for (std::size_t k = 0; k < options.budgets.size(); ++k) {
    if (!std::isfinite(options.budgets[k]) ||
        (k > 0 && options.budgets[k] <= options.budgets[k - 1])) {
      return Error{fmt::format("whatif: budget {} is {}; accepted: finite numbers that ascend", k,
                               options.budgets[k])};
    }
  }
  if (options.limits.size() > 1) {
    return Error{fmt::format("whatif: found {} limits besides the budget; accepted: at most 1",
                             options.limits.size())};
  }
  for (const HeadLimit& limit : options.limits) {
    if (limit.head < 1 || limit.head >= log.heads || limit.head == options.cost ||
        !std::isfinite(limit.amount)) {
      return Error{
          fmt::format("whatif: found a limit of {} on head {}; accepted: a finite limit on a head "
                      "from 1 to {} other than the budget's",
                      limit.amount, limit.head, log.heads - 1)};
    }
  }
  const double lambda = options.sensitivity;
  if (lambda != 0.0 && !(lambda >= 1.0 && lambda <= kMostLambda)) {
    return Error{fmt::format("whatif: found sensitivity {}; accepted: 1 to {:g}, or 0 for none",
                             lambda, kMostLambda)};
  }
  const bool names = (options.heads.empty() || options.heads.size() == at(log.heads)) &&
                     (options.actions.empty() || options.actions.size() == at(log.actions));
  if (!names) {
    return Error{
        fmt::format("whatif: found {} names of outcomes and {} of actions; accepted: {} and {}, or "
                    "none",
                    options.heads.size(), options.actions.size(), log.heads, log.actions)};
  }
  return {};
}

ClassCurve curve_of(const PricedClass& policies, std::span<const BudgetMix> mixes,
                    std::span<const double> budgets, std::span<const double> expected,
                    std::size_t count, std::uint64_t seed, bool floor, double floor_size,
                    std::span<const double> sums) {
  ClassCurve out;
  const std::size_t n = budgets.size();
  for (std::size_t k = 0; k < n; ++k) {
    out.points.push_back({.budget = budgets[k],
                          .possible = mixes[k].possible,
                          .binding = mixes[k].binding,
                          .price = mixes[k].price,
                          .held_price = mixes[k].held_price,
                          .expected_size = expected[k],
                          .floor_size = floor_size});
  }
  out.covariance = policies.set_errors(sums, out.points);
  const std::vector<std::array<double, 3>> plain = policies.plain_errors(sums, n);
  for (std::size_t k = 0; k < n; ++k) {
    if (!floor) out.points[k].variance_rows = kNan;
    if (!floor && policies.limited()) out.points[k].least_size = 2.0 * kSmallestEffectiveSize;
    out.points[k].spend_error = std::sqrt(plain[k][1]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    out.points[k].skewness = policies.shape_of(sums, n, 0, k).skewness;
    out.points[k].error_rows = mixes[k].possible ? policies.rows_behind(sums, n, 0, k) : 0.0;
  }
  for (std::size_t head = 0; head < out.covariance.size(); ++head) {
    const std::vector<double>& all = out.covariance[head];
    const double joint = joint_reach(out.points, all, count, seed);
    for (std::size_t k = 0; k < n; ++k) {
      if (!mixes[k].possible) continue;
      // Without an error the ends are NaN too.
      const double error = few(out.points[k]) ? kNan : std::sqrt(all[k * n + k]);
      const Reach one = reach95(policies.shape_of(sums, n, head, k));
      const double wider = joint / kNormal95;
      const Reach all_of{wider * one.low, wider * one.high};
      CurveValue value = with_bands(mixes[k].values[head], error, one, wider);
      if (error == 0.0) {  // the budget's own cost
        value.low = value.high = value.band_low = value.band_high = value.value;
      }
      if (head == 0 && !policies.limited() && std::isfinite(error)) {
        curved_ends(policies, budgets[k], plain[k], one, value.low, value.high);
        curved_ends(policies, budgets[k], plain[k], all_of, value.band_low, value.band_high);
      }
      out.points[k].values.push_back(value);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (!mixes[k].possible) out.points[k].shares.clear();
  }
  return out;
}

Overlap calibration_of(std::span<const double> sums, const WhatifTask& task) {
  const LogSums layout(task.actions, task.heads, task.features);
  Overlap out;
  for (std::size_t a = 0; a < at(task.actions); ++a) {
    const double n = sums[layout.offered + a];
    const double mean = n > 0.0 ? sums[layout.inverse + a] / n : 0.0;
    const double variance = n > 0.0 ? sums[layout.square + a] / n - mean * mean : 0.0;
    out.calibration.push_back(mean);
    out.calibration_error.push_back(n > 0.0 ? std::sqrt(std::max(variance, 0.0) / n) : 0.0);
  }
  return out;
}

void drop_bands(const Overlap& overlap, Whatif& out, std::vector<CurvePoint>& marks) {
  const auto drop = [](CurvePoint& point) {
    for (CurveValue& value : point.values) {
      value.error = value.low = value.high = value.band_low = value.band_high = kNan;
    }
  };
  const std::vector<std::uint8_t> wrong = miscalibrated(overlap);
  ActionWarnings of_actions(out.warnings);
  for (std::size_t a = 0; a < wrong.size(); ++a) {
    if (wrong[a] == 0) continue;
    of_actions.add([&] {
      return fmt::format(
          "no bands where action {} is played: the mean of [played] / propensity is {:.4g} +- "
          "{:.2g}, and should be 1. The propensities are wrong, or the logging policy could not "
          "play the action in some rows",
          out.actions[a], overlap.calibration[a], overlap.calibration_error[a]);
    });
    for (auto* points : {&out.points, &out.fixed, &marks}) {
      for (CurvePoint& point : *points) {
        if (!point.possible || point.shares[a] == 0.0) continue;
        drop(point);
      }
    }
  }
}

}  // namespace rein
