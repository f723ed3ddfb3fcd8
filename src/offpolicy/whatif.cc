#include "rein/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/math.h"
#include "offpolicy/band.h"
#include "offpolicy/priced_class.h"
#include "offpolicy/scores.h"
#include "offpolicy/shards.h"
#include "offpolicy/whatif_text.h"

namespace rein {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
constexpr std::int64_t kFewestPlays = 20;

Result<void> check_options(const OfflineRows& rows, const WhatifOptions& options) {
  if (options.cost < 1 || options.cost >= rows.heads) {
    return Error{fmt::format("whatif: found cost {}; accepted: 1 to {}, a cost of the log",
                             options.cost, rows.heads - 1)};
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
    if (limit.head < 1 || limit.head >= rows.heads || limit.head == options.cost ||
        !std::isfinite(limit.amount)) {
      return Error{
          fmt::format("whatif: found a limit of {} on head {}; accepted: a finite limit on a head "
                      "from 1 to {} other than the budget's",
                      limit.amount, limit.head, rows.heads - 1)};
    }
  }
  const std::size_t predicted = options.predictions.size();
  if (predicted != 0 && predicted != at(rows.rows * rows.actions * rows.heads)) {
    return Error{
        fmt::format("whatif: found {} predictions; accepted: none, or {} rows x {} actions x {} "
                    "outcomes",
                    predicted, rows.rows, rows.actions, rows.heads)};
  }
  for (std::size_t i = 0; i < predicted; ++i) {
    if (std::isfinite(options.predictions[i])) continue;
    return Error{fmt::format("whatif: the prediction of row {} is {}; accepted: finite numbers",
                             i / at(rows.actions * rows.heads), options.predictions[i])};
  }
  const bool names = (options.heads.empty() || options.heads.size() == at(rows.heads)) &&
                     (options.actions.empty() || options.actions.size() == at(rows.actions));
  if (!names) {
    return Error{
        fmt::format("whatif: found {} names of outcomes and {} of actions; accepted: {} and {}, or "
                    "none",
                    options.heads.size(), options.actions.size(), rows.heads, rows.actions)};
  }
  return {};
}

void name_all(const OfflineRows& rows, const WhatifOptions& options, Whatif& out) {
  out.heads = options.heads;
  out.actions = options.actions;
  if (out.heads.empty()) {
    out.heads.emplace_back("reward");
    for (int head = 1; head < rows.heads; ++head) {
      out.heads.push_back(rows.heads == 2 ? "cost" : fmt::format("cost{}", head));
    }
  }
  if (out.actions.empty()) {
    for (int a = 0; a < rows.actions; ++a) out.actions.push_back(fmt::format("{}", a));
  }
}

// What the log itself earned, and which actions it played often enough.
void add_logged(const OfflineRows& rows, Whatif& out, std::vector<std::uint8_t>& usable,
                std::vector<int>& unused) {
  std::vector<double> outcomes;
  std::vector<double> weights;
  std::vector<std::int64_t> plays(at(rows.actions), 0);
  out.logged_shares.assign(at(rows.actions), 0.0);
  double total = 0.0;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row)) {
      ++out.missing;
      continue;
    }
    const std::size_t played = at(rows.played[at(row)]);
    ++plays[played];
    total += rows.weight(row);
    out.logged_shares[played] += rows.weight(row);
    weights.push_back(rows.weight(row));
    for (int head = 0; head < rows.heads; ++head) {
      outcomes.push_back(rows.outcomes[at(row * rows.heads + head)]);
    }
  }
  for (double& share : out.logged_shares) share /= total;
  const PolicyValue mean = mean_of("logged", outcomes, weights, rows.heads, true);
  for (int head = 0; head < rows.heads; ++head) {
    CurveValue value{.value = mean.value[at(head)],
                     .error = std::sqrt(mean.covariance[at(head) * at(rows.heads) + at(head)]),
                     .low = mean.low[at(head)],
                     .high = mean.high[at(head)]};
    value.band_low = value.low;
    value.band_high = value.high;
    out.logged.push_back(value);
  }
  usable.assign(at(rows.actions), 1);
  const bool enough =
      std::any_of(plays.begin(), plays.end(), [](std::int64_t n) { return n >= kFewestPlays; });
  for (int a = 0; a < rows.actions; ++a) {
    if (!enough || plays[at(a)] >= kFewestPlays) continue;
    usable[at(a)] = 0;
    unused.push_back(a);
  }
}

struct ClassCurve {
  std::vector<CurvePoint> points;
  std::vector<std::vector<double>> covariance;  // per head
  double least = 0.0, most = 0.0;
  std::int64_t rows = 0;
};

// The points of one class of policies, with bands over the first `count` of them. One more point is
// at half of what the last of these spends, for the verdict.
bool curve_of(const OfflineRows& rows, const ActionModels& models, ClassOptions options,
              std::vector<double> budgets, std::size_t count, std::uint64_t seed, ClassCurve& out) {
  const std::size_t cost = at(options.cost);
  PricedClass policies(rows, models, std::move(options));
  if (!policies.value_grid()) return false;
  const BudgetMix last = policies.meet(budgets[count - 1]);
  budgets.push_back((last.possible && !last.binding ? last.values[cost] : budgets[count - 1]) /
                    2.0);
  std::vector<BudgetMix> mixes;
  for (const double budget : budgets) {
    mixes.push_back(policies.meet(budget));
    out.points.push_back({.budget = budget,
                          .possible = mixes.back().possible,
                          .binding = mixes.back().binding,
                          .price = mixes.back().price,
                          .held_price = mixes.back().held_price});
  }
  if (!policies.add_errors(mixes, out.points, out.covariance)) return false;
  const std::size_t n = budgets.size();
  const auto few = [&](std::size_t k) {
    return out.points[k].effective_size < kSmallestEffectiveSize;
  };
  for (int head = 0; head < rows.heads; ++head) {
    const std::vector<double>& all = out.covariance[at(head)];
    std::vector<double> first(count * count);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t m = 0; m < count; ++m) {
        first[k * count + m] = few(k) || few(m) ? 0.0 : all[k * n + m];
      }
    }
    const double joint = joint_quantile(first, static_cast<int>(count), seed);
    for (std::size_t k = 0; k < n; ++k) {
      if (!mixes[k].possible) continue;
      CurveValue value{.value = mixes[k].values[at(head)], .error = std::sqrt(all[k * n + k])};
      if (few(k)) value.error = kNan;  // and so are the ends
      value.low = value.value - kNormal95 * value.error;
      value.high = value.value + kNormal95 * value.error;
      value.band_low = value.value - joint * value.error;
      value.band_high = value.value + joint * value.error;
      out.points[k].values.push_back(value);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (!mixes[k].possible) out.points[k].shares.clear();
  }
  out.least = policies.least();
  out.most = policies.most();
  out.rows = policies.rows_used();
  return true;
}

// No band where the log could not always play an action, or propensities are wrong.
void drop_bands(const OfflineRows& rows, Whatif& out, std::vector<CurvePoint>& marks) {
  const auto drop = [](CurvePoint& point) {
    for (CurveValue& value : point.values) {
      value.error = value.low = value.high = value.band_low = value.band_high = kNan;
    }
  };
  if (out.estimated) return;
  const Overlap overlap = calibration_of(rows);
  const std::vector<std::uint8_t> wrong = miscalibrated(overlap);
  for (std::size_t a = 0; a < wrong.size(); ++a) {
    if (wrong[a] == 0) continue;
    out.warnings.push_back(fmt::format(
        "no bands where action {} is played: the mean of [played] / propensity is {:.4g} +- "
        "{:.2g}, and should be 1. The propensities are wrong, or the logging policy could not "
        "play the action in some rows",
        out.actions[a], overlap.calibration[a], overlap.calibration_error[a]));
    for (auto* points : {&out.points, &out.fixed, &marks}) {
      for (CurvePoint& point : *points) {
        if (!point.possible || point.shares[a] == 0.0) continue;
        drop(point);
      }
    }
  }
}

// Counts finished shards, and asks the caller from one thread at a time.
class Progress {
 public:
  Progress(const std::function<bool(double)>& told, int shards) : told_(told), shards_(shards) {}
  bool step() {
    const double share = static_cast<double>(++done_) / shards_;
    if (!told_) return true;
    const std::lock_guard lock(mutex_);
    return told_(std::min(share, 1.0));
  }

 private:
  const std::function<bool(double)>& told_;
  int shards_;
  std::atomic<int> done_{0};
  std::mutex mutex_;
};

}  // namespace

Result<Whatif> whatif(const OfflineRows& given, const WhatifOptions& options) {
  if (auto good = check_rows(given); !good) return good.failure();
  if (auto good = check_options(given, options); !good) return good.failure();
  Whatif out{.cost = options.cost, .limits = options.limits};
  name_all(given, options, out);
  OfflineRows rows = given;
  std::vector<double> estimated;
  if (rows.propensity.empty()) {
    auto found = estimate_propensities(rows, options.fit.threads);
    if (!found) return found.failure();
    estimated = std::move(found).value();
    rows.propensity = estimated;
    out.estimated = true;
  }
  out.adaptive = options.adaptive == Adaptive::kYes ||
                 (options.adaptive == Adaptive::kAuto && !out.estimated && varies_with_time(rows));
  FitOptions fit = options.fit;
  fit.forward = fit.forward || out.adaptive;
  std::vector<int> unused;
  ClassOptions priced{.cost = options.cost, .limits = options.limits, .threads = fit.threads};
  add_logged(rows, out, priced.usable, unused);
  if (!options.predictions.empty()) {
    rows.context = options.predictions;
    rows.features = rows.actions * rows.heads;
  }
  auto models = options.predictions.empty() ? ActionModels::fit(rows, fit)
                                            : Result<ActionModels>(ActionModels::given(rows));
  if (!models) return models.failure();
  Progress progress(options.progress, 4 * kShards);
  priced.go_on = [&] { return progress.step(); };
  ClassOptions fixed = priced;
  fixed.constant = true;
  // For the verdict: the cost of the log and half of it.
  std::vector<double> budgets = options.budgets;
  budgets.push_back(out.logged[at(options.cost)].value);
  budgets.push_back(budgets.back() / 2.0);
  const std::size_t count = options.budgets.size();
  ClassCurve curve;
  ClassCurve mixes;
  if (!curve_of(rows, models.value(), std::move(priced), budgets, count, options.seed, curve) ||
      !curve_of(rows, models.value(), std::move(fixed), budgets, count, options.seed, mixes)) {
    return Error{"whatif: stopped", Reason::kFailed};
  }
  out.least = curve.least;
  out.most = curve.most;
  out.rows = curve.rows;
  std::vector<CurvePoint> marks(curve.points.begin() + static_cast<std::ptrdiff_t>(count),
                                curve.points.end());
  curve.points.resize(count);
  mixes.points.resize(count);
  out.points = std::move(curve.points);
  out.fixed = std::move(mixes.points);
  out.warnings = warnings_of(out, unused);
  drop_bands(rows, out, marks);
  add_verdict(out, marks, curve.covariance[0]);
  return out;
}

}  // namespace rein
