#include "offpolicy/curve_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "base/math.h"
#include "base/pool.h"
#include "offpolicy/errors.h"
#include "offpolicy/overlap.h"
#include "offpolicy/report_text.h"
#include "offpolicy/scores.h"
#include "offpolicy/tail.h"

namespace rein {
namespace {

// Places on one half of an ellipse at which the curve is looked up.
constexpr int kEllipseSteps = 16;

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
CurveValue with_bands(double value, double error, const Reach& reach, double joint) {
  return {.value = value,
          .error = error,
          .low = value - reach.low * error,
          .high = value + reach.high * error,
          .band_low = value - joint * reach.low * error,
          .band_high = value + joint * reach.high * error};
}

// The ends of an interval of the true curve at a budget. With errors e of the reward and f of the
// cost, the true curve at b is the estimated one at b + f, less e. The ends are the extremes over
// the ellipses of (e, f) with these radii. Where the curve is straight that is the delta method's
// value -+ radius * error; where it bends, or ceases to bind, it is not.
void curved_ends(const PricedClass& policies, double budget, const std::array<double, 3>& plain,
                 double radius, double& low, double& high) {
  const double deviation = std::sqrt(plain[1]);
  const double slope = plain[1] > 0.0 ? plain[2] / plain[1] : 0.0;
  const double rest = std::sqrt(std::max(plain[0] - slope * plain[2], 0.0));
  for (const int side : {-1, 1}) {
    double reward = 0.0;
    for (int j = 0; j <= kEllipseSteps; ++j) {
      const double t = side * radius * j / kEllipseSteps;
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

Result<void> check_question(const LogOutline& log, const WhatifQuestion& question) {
  if (question.cost < 1 || question.cost >= log.heads) {
    return Error{fmt::format("whatif: found cost {}; accepted: 1 to {}, a cost of the log",
                             question.cost, log.heads - 1)};
  }
  const std::vector<double>& budgets = question.budgets;
  if (budgets.empty() || budgets.size() > at(kMaxWhatifBudgets)) {
    return Error{fmt::format("whatif: found {} budgets; accepted: 1 to {}", budgets.size(),
                             kMaxWhatifBudgets)};
  }
  for (std::size_t k = 0; k < budgets.size(); ++k) {
    if (std::isfinite(budgets[k]) && (k == 0 || budgets[k] > budgets[k - 1])) continue;
    return Error{fmt::format("whatif: budget {} is {}; accepted: finite numbers that ascend", k,
                             budgets[k])};
  }
  if (question.limits.size() > 1) {
    return Error{fmt::format("whatif: found {} limits besides the budget; accepted: at most 1",
                             question.limits.size())};
  }
  for (const HeadLimit& limit : question.limits) {
    if (limit.head < 1 || limit.head >= log.heads || limit.head == question.cost ||
        !std::isfinite(limit.amount)) {
      return Error{
          fmt::format("whatif: found a limit of {} on head {}; accepted: a finite limit on a head "
                      "from 1 to {} other than the budget's",
                      limit.amount, limit.head, log.heads - 1)};
    }
  }
  return {};
}

}  // namespace

Result<void> check_whatif(const LogOutline& log, const WhatifOptions& options,
                          const std::vector<WhatifQuestion>& questions) {
  if (questions.empty() || questions.size() > at(kMaxWhatifQuestions)) {
    return Error{fmt::format("whatif: found {} curves; accepted: 1 to {}", questions.size(),
                             kMaxWhatifQuestions)};
  }
  for (const WhatifQuestion& question : questions) {
    if (auto good = check_question(log, question); !good) return good;
  }
  if (!(options.total >= 0.0 && options.total <= kMaxWhatifTotal)) {
    return Error{fmt::format("whatif: found a total over {} rows; accepted: 0 to {:g}", options.total,
                             kMaxWhatifTotal)};
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

ClassCurve curve_of(const CurveInput& in) {
  ClassCurve out;
  const PricedClass& policies = in.policies;
  const std::size_t n = in.budgets.size();
  for (std::size_t k = 0; k < n; ++k) {
    out.points.push_back({.budget = in.budgets[k],
                          .possible = in.mixes[k].possible,
                          .binding = in.mixes[k].binding,
                          .price = in.mixes[k].price,
                          .held_price = in.mixes[k].held_price,
                          .expected_size = in.expected[k],
                          .floor_size = in.floor_size});
  }
  out.covariance = policies.set_errors(in.sums, out.points);
  const std::vector<std::array<double, 3>> plain = policies.plain_errors(in.sums, n);
  for (std::size_t k = 0; k < n; ++k) {
    CurvePoint& point = out.points[k];
    if (!in.has_floor) point.variance_rows = kNan;
    if (!in.has_floor && policies.limited()) point.least_size = 2.0 * kSmallestEffectiveSize;
    point.spend_error = std::sqrt(plain[k][1]);
    point.skewness = policies.shape_of(in.sums.own, n, 0, k).skewness;
    point.error_rows = point.possible ? policies.rows_behind(in.sums.own, n, k) : 0.0;
  }
  for (std::size_t head = 0; head < out.covariance.size(); ++head) {
    const std::vector<double>& all = out.covariance[head];
    const double wider = joint_reach(out.points, all, in.joint, in.seed) / kNormal95;
    for (std::size_t k = 0; k < n; ++k) {
      CurvePoint& point = out.points[k];
      if (!point.possible) continue;
      // Without an error the ends are NaN too.
      const double error = few(point) ? kNan : std::sqrt(all[k * n + k]);
      const Reach here = std::isnan(error)
                             ? Reach{kNan, kNan}
                             : reach95(policies.shape_of(in.sums.own, n, head, k), in.choices);
      const Reach everywhere{wider * here.low, wider * here.high};
      const double mixed = in.mixes[k].values[head];
      CurveValue value =
          with_bands(std::abs(mixed) < in.rounding[head] ? 0.0 : mixed, error, here, wider);
      if (error == 0.0) {  // the budget's own cost
        value.low = value.high = value.band_low = value.band_high = value.value;
      }
      if (head == 0 && !policies.limited() && std::isfinite(error)) {
        curved_ends(policies, in.budgets[k], plain[k], here, value.low, value.high);
        curved_ends(policies, in.budgets[k], plain[k], everywhere, value.band_low,
                    value.band_high);
      }
      point.values.push_back(value);
    }
  }
  for (CurvePoint& point : out.points) {
    if (!point.possible) point.shares.clear();
  }
  return out;
}

void drop_bands(std::span<const double> calibration, Whatif& out, std::vector<CurvePoint>& marks) {
  Overlap overlap;
  set_calibration(calibration, overlap);
  const std::vector<std::uint8_t> wrong = miscalibrated(overlap);
  warn_of_actions(out.warnings, wrong.size(), [&](std::size_t a) -> std::optional<std::string> {
    if (wrong[a] == 0) return std::nullopt;
    return fmt::format(
        "no bands where action {} is played: the mean of [played] / propensity is {:.4g} +- "
        "{:.2g}, and should be 1. The propensities are wrong, or the logging policy could not "
        "play the action in some rows",
        out.actions[a], overlap.calibration[a], overlap.calibration_error[a]);
  });
  for (auto* points : {&out.points, &out.fixed, &marks}) {
    for (CurvePoint& point : *points) {
      bool plays_wrong = false;
      for (std::size_t a = 0; a < wrong.size() && point.possible; ++a)
        plays_wrong = plays_wrong || (wrong[a] != 0 && point.shares[a] != 0.0);
      if (!plays_wrong) continue;
      for (CurveValue& value : point.values)
        value.error = value.low = value.high = value.band_low = value.band_high = kNan;
    }
  }
}

void drop_heavy(std::span<const double> tails, Whatif& out, std::vector<CurvePoint>& marks) {
  for (std::size_t head = 0; head < tails.size(); ++head) {
    if (!heavy(tails[head])) continue;
    const std::string& name = out.heads[head];
    out.warnings.push_back(heavy_tail_text(
        "band", name, tails[head],
        fmt::format("outcomes cut off at a limit, or rein evaluate with --range {}=LOW:HIGH", name)));
  }
  const bool all = heavy(tails[at(out.cost)]);  // rewards at a budget have the errors of its cost too
  for (auto* points : {&out.points, &out.fixed, &marks}) {
    for (CurvePoint& point : *points) {
      for (std::size_t head = 0; head < point.values.size(); ++head) {
        CurveValue& value = point.values[head];
        if (all || heavy(tails[head]))
          value.error = value.low = value.high = value.band_low = value.band_high = kNan;
      }
    }
  }
}

CurveSupport::CurveSupport(RowSample sample, const PropensityTail& tail)
    : sample_(std::move(sample)), model_(sample_.rows.view(), tail) {}

std::vector<std::vector<double>> CurveSupport::expected_sizes(
    const ActionModels& models, std::span<const PricedGrid> grids,
    std::span<const MixedClass> classes, double rows) const {
  std::vector<std::vector<SquareMean>> means;
  for (const MixedClass& each : classes) means.emplace_back(each.mixes.size());
  const OfflineRows all = sample_.rows.view();
  std::vector<double> target(at(all.actions));
  std::vector<double> p(at(all.actions));
  std::vector<double> predicted(at(models.frame().lanes()));
  std::vector<Paths> paths(grids.size());
  PathWork work;
  for (std::int64_t row = 0; row < all.rows; ++row) {
    const int fold = models.fold_of(row * sample_.step);
    if (!(all.weight(row) > 0.0) || !models.trained(fold)) continue;
    const double* x = context_of(all, row);
    const std::uint8_t* offered = offered_of(all, row);
    models.predict(fold, x, predicted.data());
    for (std::size_t g = 0; g < grids.size(); ++g)
      grids[g].paths(fold, predicted.data(), offered, work, paths[g]);
    model_.probabilities(x, offered, p.data());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      for (std::size_t k = 0; k < classes[c].mixes.size(); ++k) {
        const BudgetMix& mix = classes[c].mixes[k];
        if (!mix.possible) continue;
        mix.set_target(paths[classes[c].grid], fold, target);
        means[c][k].add(all.weight(row), mean_square_weight(target, p));
      }
    }
  }
  std::vector<std::vector<double>> out;
  for (const std::vector<SquareMean>& of_class : means) {
    out.emplace_back();
    for (const SquareMean& mean : of_class) out.back().push_back(mean.size(rows, model_.floor()));
  }
  return out;
}

// Sensitivity bands of the points of a curve.
namespace {

// What the rows say about the mixture of one budget.
PolicyScores scores_of(const OfflineRows& rows, const WhatifTask& task, std::size_t grid,
                       const BudgetMix& mix) {
  PolicyScores out{.heads = rows.heads};
  const std::size_t heads = at(rows.heads);
  std::vector<double> target(at(rows.actions));
  ScoredRow row(task.models, std::span(task.grids).subspan(grid, 1), rows);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (!row.load(i, i)) continue;
    mix.set_target(row.paths(0), row.fold, target);
    out.row.push_back(i);
    out.weight.push_back(row.weight);
    out.ratio.push_back(target[at(row.played)] * row.inverse);
    for (std::size_t h = 0; h < heads; ++h) {
      double direct = 0.0;
      for (std::size_t a = 0; a < target.size(); ++a) {
        if (target[a] > 0.0) direct += target[a] * row.predicted[a * heads + h];
      }
      out.outcome.push_back(row.outcome(h));
      out.direct.push_back(direct);
      out.residual.push_back(row.outcome(h) - row.predicted[at(row.played) * heads + h]);
    }
  }
  out.units = Units::some(rows, out.row);
  return out;
}

}  // namespace

bool add_sensitivity(const OfflineRows& rows, const WhatifTask& task, const MixedClass& mixed,
                     int threads, const std::function<bool()>& go_on, Whatif& out) {
  std::atomic<bool> going{true};
  run_jobs(static_cast<std::int64_t>(out.points.size()), threads, [&](std::int64_t k) {
    CurvePoint& point = out.points[at(k)];
    if (point.possible && std::isfinite(point.values[0].error)) {
      const PolicyScores scores = scores_of(rows, task, mixed.grid, mixed.mixes[at(k)]);
      for (int head = 0; head < rows.heads; ++head) {
        SensitivityBand band = sensitivity_of(scores, rows.propensity, head, out.lambda);
        if (!std::isfinite(point.values[at(head)].error)) band.low = band.high = kNan;
        point.sensitivity.push_back(band);
      }
    }
    if (!go_on()) going = false;
    return going.load();
  });
  return going;
}

}  // namespace rein
