#include "offpolicy/whatif_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/bounded.h"
#include "offpolicy/errors.h"
#include "offpolicy/log_sums.h"
#include "offpolicy/overlap.h"
#include "offpolicy/report_text.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

// Policies do not play actions that the log played less often: their regressions know too little.
constexpr double kFewestPlays = 20.0;
// Sums of a shard in kSpread, in doubles: 128 MiB. Of more classes, some wait for another pass.
constexpr std::size_t kSpreadDoubles = std::size_t{1} << 24;

void name_all(const LogOutline& log, const WhatifOptions& options, Whatif& out) {
  out.heads = options.heads;
  out.actions = options.actions;
  if (out.heads.empty()) {
    out.heads.emplace_back("reward");
    for (int head = 1; head < log.heads; ++head) {
      out.heads.push_back(log.heads == 2 ? "cost" : fmt::format("cost{}", head));
    }
  }
  if (out.actions.empty()) {
    for (int a = 0; a < log.actions; ++a) out.actions.push_back(fmt::format("{}", a));
  }
}

OfflineRows sizes_of(const LogOutline& log) {
  return {.rows = log.rows, .actions = log.actions, .heads = log.heads, .features = log.features};
}

}  // namespace

Result<WhatifDriver> WhatifDriver::make(const LogOutline& log, const WhatifOptions& options,
                                        const std::vector<WhatifQuestion>& questions,
                                        std::span<const std::int32_t> units, bool estimated) {
  if (auto good = check_whatif(log, options, questions); !good) return good.failure();
  WhatifDriver out;
  OfflineRows sizes = sizes_of(log);
  sizes.unit = units;
  auto frame = options.predictions.empty() ? fit_frame(sizes, options.fit)
                                           : Result<FitFrame>(given_frame(sizes));
  if (!frame) return frame.failure();
  out.options_ = options;
  out.options_.progress = nullptr;
  out.questions_ = questions;
  out.about_log_.estimated = estimated;
  name_all(log, options, out.about_log_);
  out.task_ = {.rows = log.rows,
               .actions = log.actions,
               .heads = log.heads,
               .features = log.features,
               .origin = log.first_context,
               .frame = std::move(frame).value()};
  out.samples_ = ShardSamples::of(out.task_);
  return out;
}

bool WhatifDriver::add(std::vector<double>&& sums) {
  const std::size_t size = task_.size();
  if (task_.pass == WhatifPass::kDescribe) {
    if (sums.size() < size || !samples_.load(std::span(sums).subspan(size))) return false;
    sums.resize(size);
  }
  if (sums.size() != size) return false;
  add_sums(sums_, std::move(sums));
  return true;
}

Result<> WhatifDriver::end_pass() {
  switch (task_.pass) {
    case WhatifPass::kDescribe:
      if (auto good = end_describe(); !good) return good;
      task_.pass = WhatifPass::kFit;
      break;
    case WhatifPass::kFit:
      end_fit();
      task_.pass = WhatifPass::kValue;
      break;
    case WhatifPass::kValue:
      end_value();
      next_classes();
      task_.pass = WhatifPass::kSpread;
      break;
    case WhatifPass::kSpread:
      end_spread();
      if (!next_classes()) task_.pass = WhatifPass::kDone;
      break;
    case WhatifPass::kDone:
      break;
  }
  sums_.clear();
  return {};
}

Result<> WhatifDriver::end_describe() {
  const LogSums layout(task_.actions, task_.heads, task_.features);
  if (sums_[layout.usable] == 0.0) return Error{kNoUsableRow};
  const std::span<const double> time(sums_.data() + layout.time, time_sums_size(task_.actions));
  about_log_.adaptive = options_.adaptive == Adaptive::kYes ||
                  (options_.adaptive == Adaptive::kAuto && !about_log_.estimated &&
                   propensities_vary(time, samples_.time, task_.actions, task_.rows));
  about_log_.missing = static_cast<std::int64_t>(sums_[layout.missing]);
  for (int a = 0; a < task_.actions; ++a) {
    about_log_.logged_shares.push_back(sums_[layout.shares + at(a)] / sums_[layout.weight]);
  }
  for (int head = 0; head < task_.heads; ++head) {
    task_.mean.push_back(sums_[layout.outcomes + at(head)] / sums_[layout.weight]);
  }
  // Given predictions learned from no row of the log.
  task_.frame.forward = !task_.frame.given && (task_.frame.forward || about_log_.adaptive);
  const std::span<const double> moments(sums_.data() + layout.moments, 2 * task_.origin.size());
  task_.frame.scaling =
      Standardizer::of_moments(task_.origin, moments, static_cast<double>(task_.rows));
  log_ = std::move(sums_);
  samples_.time = {};
  tails_ = tail_index(samples_.outcomes);
  samples_.outcomes = {};
  return {};
}

namespace {

// The number of ones if all of these numbers are 0 or 1, else -1. `powers`: the sums of the second,
// third and fourth powers of their differences to their mean.
double ones_of(const double* powers, double mean, double count) {
  const double second = powers[0] + count * mean * mean;
  const double third = powers[1] + 3.0 * mean * powers[0] + count * mean * mean * mean;
  const double fourth = powers[2] + 4.0 * mean * powers[1] + 6.0 * mean * mean * powers[0] +
                        count * mean * mean * mean * mean;
  constexpr double kRounding = 1e-9;  // relative, far above that of sums over all rows of a log
  // The sum of (y - y^2)^2, which is 0 for 0 and 1 only.
  return std::abs(second - 2.0 * third + fourth) <= kRounding * second ? std::round(second) : -1.0;
}

}  // namespace

// What the log itself earned, with its standard error.
std::vector<CurveValue> WhatifDriver::logged() const {
  const LogSums layout(task_.actions, task_.heads, task_.features);
  const double count = sums_[3 * task_.mean.size()];
  const double total = log_[layout.weight];
  const double factor = count > 1.0 ? count / (count - 1.0) / (total * total) : kNan;
  // Whether rows are independent and have weight 1.
  const bool independent = count == total && !about_log_.adaptive;
  std::vector<CurveValue> out;
  for (std::size_t head = 0; head < task_.mean.size(); ++head) {
    const double* powers = sums_.data() + 3 * head;
    const ErrorShape shape = ErrorShape::of(powers);
    const Reach reach = reach95(shape);
    CurveValue value{.value = task_.mean[head], .error = std::sqrt(factor * powers[0])};
    value.low = value.band_low = value.value - reach.low * value.error;
    value.high = value.band_high = value.value + reach.high * value.error;
    if (heavy(tails_[head])) value.low = value.high = value.band_low = value.band_high = kNan;
    // Few ones among zeros: the interval that is exact, as in `rein evaluate`.
    const double ones = independent ? ones_of(powers, value.value, count) : -1.0;
    if (ones >= 0.0 && shape.carriers < kFewestVarianceRows) {
      const Ends exact = independent95(ones, count);
      value.low = value.band_low = exact.low;
      value.high = value.band_high = exact.high;
    }
    out.push_back(value);
  }
  return out;
}

// Actions that were played too rarely, unless all were.
std::vector<int> WhatifDriver::unused_actions() const {
  const LogSums layout(task_.actions, task_.heads, task_.features);
  const double* plays = log_.data() + layout.plays;
  std::vector<int> out;
  for (int a = 0; a < task_.actions; ++a) {
    if (plays[a] < kFewestPlays) out.push_back(a);
  }
  if (out.size() == at(task_.actions)) out.clear();
  return out;
}

void WhatifDriver::end_fit() {
  about_log_.logged = logged();
  const double rows = sums_[3 * task_.mean.size()];
  for (const CurveValue& value : about_log_.logged) {
    constexpr double kRounding = 1e-13;  // of a sum over rows, relative to the size of an outcome
    rounding_.push_back(kRounding * std::hypot(value.value, value.error * std::sqrt(rows)));
  }
  task_.models = ActionModels::solved(std::move(task_.frame),
                                      std::span(sums_).subspan(spread_size(task_.heads)),
                                      options_.fit);
  const RowSample sample = std::exchange(samples_.grid, {});
  ClassOptions options{.usable = std::vector<std::uint8_t>(at(task_.actions), 1)};
  for (const int a : unused_actions()) options.usable[at(a)] = 0;
  for (const WhatifQuestion& question : questions_) {
    options.cost = question.cost;
    options.limits = question.limits;
    for (const bool constant : {false, true}) {
      options.constant = constant;
      const auto found = std::ranges::find_if(task_.grids, [&](const PricedGrid& grid) {
        return grid.options.same_policies(options);
      });
      grid_of_.push_back(at(found - task_.grids.begin()));
      if (found == task_.grids.end())
        task_.grids.push_back(make_grid(sample, task_.models, options));
    }
  }
  support_ = CurveSupport(sample, samples_.tail);
}

std::vector<double> WhatifDriver::budgets_of(const WhatifQuestion& question,
                                             const PricedClass& policies) const {
  std::vector<double> out = question.budgets;
  const double logged = task_.mean[at(question.cost)];
  const double last = question.budgets.back();
  const BudgetMix mix = policies.meet(last);
  const double spent = mix.possible && !mix.binding ? mix.values[at(question.cost)] : last;
  for (const double mark : {logged, logged / 2.0, spent / 2.0, policies.least()}) out.push_back(mark);
  return out;
}

void WhatifDriver::end_value() {
  std::vector<PricedClass> of_grid;
  std::span<const double> rest = sums_;
  for (const PricedGrid& grid : task_.grids) {
    const std::size_t size = ValueSums(grid, task_.models.folds()).size;
    of_grid.emplace_back(grid).set_values(rest.first(size), task_.models.folds());
    rest = rest.subspan(size);
  }
  for (std::size_t i = 0; i < grid_of_.size(); ++i) {
    const WhatifQuestion& question = questions_[i / 2];
    Asked asked{.policies = of_grid[grid_of_[i]].with_limits(question.limits),
                .mixed = {.grid = grid_of_[i]}};
    asked.budgets = budgets_of(question, asked.policies);
    for (const double budget : asked.budgets)
      asked.mixed.mixes.push_back(asked.policies.meet(budget));
    asked_.push_back(std::move(asked));
  }
}

bool WhatifDriver::next_classes() {
  task_.classes.clear();
  std::size_t size = 0;
  for (std::size_t i = 2 * out_.size(); i < asked_.size(); i += 2) {
    for (const std::size_t k : {i, i + 1}) {
      const MixedClass& mixed = asked_[k].mixed;
      size += ErrorSums(task_.grids[mixed.grid], mixed.mixes.size()).size;
    }
    if (size > kSpreadDoubles && !task_.classes.empty()) break;
    for (const std::size_t k : {i, i + 1}) task_.classes.push_back(asked_[k].mixed);
  }
  return !task_.classes.empty();
}

ClassCurve WhatifDriver::curve_of_class(const Asked& asked, std::span<const double> expected,
                                        const ClassErrorSums& sums) const {
  const double rows = static_cast<double>(asked.policies.rows_used());
  return curve_of({.policies = asked.policies,
                   .mixes = asked.mixed.mixes,
                   .budgets = asked.budgets,
                   .expected = expected,
                   .joint = asked.budgets.size() - kVerdictMarks,
                   .seed = options_.seed,
                   .has_floor = samples_.tail.has_floor(),
                   .floor_size = about_log_.adaptive ? rows * samples_.tail.end() : kNan,
                   .choices = task_.grids[asked.mixed.grid].options.constant ? task_.actions : 1,
                   .sums = sums,
                   .rounding = rounding_});
}

void WhatifDriver::end_spread() {
  const LogErrorSums log(task_.actions, task_.features);
  const std::span<const double> all = sums_;
  std::span<const double> rest = all.subspan(log.size);
  const double rows = static_cast<double>(asked_[0].policies.rows_used());
  const std::vector<std::vector<double>> expected =
      support_.expected_sizes(task_.models, task_.grids, task_.classes, rows);
  const std::size_t begin = 2 * out_.size();
  std::vector<ClassCurve> curves;
  for (std::size_t i = 0; i < task_.classes.size(); ++i) {
    const MixedClass& mixed = task_.classes[i];
    const std::size_t size = ErrorSums(task_.grids[mixed.grid], mixed.mixes.size()).size;
    curves.push_back(curve_of_class(asked_[begin + i], expected[i],
                                    {.log = all.first(log.size), .own = rest.first(size)}));
    rest = rest.subspan(size);
  }
  for (std::size_t i = 0; i < curves.size(); i += 2) {
    out_.push_back(finished(questions_[out_.size()], asked_[begin + i].policies,
                            std::move(curves[i]), std::move(curves[i + 1])));
  }
}

Whatif WhatifDriver::finished(const WhatifQuestion& question, const PricedClass& priced,
                              ClassCurve curve, ClassCurve fixed) const {
  Whatif out = about_log_;
  out.cost = question.cost;
  out.limits = question.limits;
  out.least = priced.least();
  out.most = priced.most();
  out.rows = priced.rows_used();
  const std::size_t count = question.budgets.size();
  std::vector<CurvePoint> marks(curve.points.begin() + static_cast<std::ptrdiff_t>(count),
                                curve.points.end());
  curve.points.resize(count);
  fixed.points.resize(count);
  out.points = std::move(curve.points);
  out.fixed = std::move(fixed.points);
  out.warnings = warnings_of(out, unused_actions());
  if (!out.estimated) {
    const LogSums layout(task_.actions, task_.heads, task_.features);
    drop_bands(std::span(log_).subspan(layout.calibration, calibration_size(task_.actions)), out,
               marks);
  }
  out.total = options_.total;
  drop_heavy(tails_, out, marks);
  add_verdict(out, marks, curve.covariance[0]);
  return out;
}

}  // namespace rein
