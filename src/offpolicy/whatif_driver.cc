#include "offpolicy/whatif_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/at.h"
#include "offpolicy/log_sums.h"
#include "offpolicy/scores.h"
#include "offpolicy/shards.h"
#include "offpolicy/varies_with_time.h"
#include "offpolicy/whatif_points.h"
#include "offpolicy/whatif_text.h"

namespace rein {
namespace {

constexpr double kFewestPlays = 20.0;

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
                                        std::span<const std::int32_t> units, bool estimated) {
  if (auto good = check_whatif(log, options); !good) return good.failure();
  WhatifDriver out;
  OfflineRows sizes = sizes_of(log);
  sizes.unit = units;
  auto frame = options.predictions.empty() ? fit_frame(sizes, options.fit)
                                           : Result<FitFrame>(given_frame(sizes));
  if (!frame) return frame.failure();
  out.task_.frame = std::move(frame).value();
  out.options_ = options;
  out.options_.progress = nullptr;
  out.out_ = {.cost = options.cost, .limits = options.limits, .estimated = estimated};
  name_all(log, options, out.out_);
  out.task_.rows = log.rows;
  out.task_.actions = log.actions;
  out.task_.heads = log.heads;
  out.task_.features = log.features;
  out.task_.origin = log.first_context;
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
      break;
    case WhatifPass::kFit:
      end_fit();
      break;
    case WhatifPass::kValue:
      end_value();
      break;
    case WhatifPass::kSpread:
      end_spread();
      break;
    case WhatifPass::kDone:
      return {};
  }
  task_.pass = static_cast<WhatifPass>(static_cast<int>(task_.pass) + 1);
  sums_.clear();
  return {};
}

Result<> WhatifDriver::end_describe() {
  const LogSums layout(task_.actions, task_.heads, task_.features);
  if (sums_[layout.usable] == 0.0) return Error{kNoUsableRow};
  const std::span<const double> time(sums_.data() + layout.time, time_sums_size(task_.actions));
  out_.adaptive = options_.adaptive == Adaptive::kYes ||
                  (options_.adaptive == Adaptive::kAuto && !out_.estimated &&
                   propensities_vary(time, samples_.time, task_.actions, task_.rows));
  out_.missing = static_cast<std::int64_t>(sums_[layout.missing]);
  for (int a = 0; a < task_.actions; ++a) {
    out_.logged_shares.push_back(sums_[layout.shares + at(a)] / sums_[layout.weight]);
  }
  for (int head = 0; head < task_.heads; ++head) {
    task_.mean.push_back(sums_[layout.outcomes + at(head)] / sums_[layout.weight]);
  }
  // Given predictions learned from no row of the log.
  task_.frame.forward = !task_.frame.given && (task_.frame.forward || out_.adaptive);
  set_scale(task_.origin, {sums_.data() + layout.moments, 2 * task_.origin.size()}, task_.frame);
  log_ = std::move(sums_);
  samples_.time = {};
  return {};
}

// What the log itself earned, with its standard error.
void WhatifDriver::add_logged() {
  const LogSums layout(task_.actions, task_.heads, task_.features);
  const double count = sums_[3 * task_.mean.size()];
  const double total = log_[layout.weight];
  const double factor = count > 1.0 ? count / (count - 1.0) / (total * total) : kNan;
  for (std::size_t head = 0; head < task_.mean.size(); ++head) {
    const double* powers = sums_.data() + 3 * head;
    const Reach reach = reach95(ErrorShape::of(powers));
    CurveValue value{.value = task_.mean[head], .error = std::sqrt(factor * powers[0])};
    value.low = value.band_low = value.value - reach.low * value.error;
    value.high = value.band_high = value.value + reach.high * value.error;
    out_.logged.push_back(value);
  }
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
  add_logged();
  ClassOptions options{.cost = options_.cost, .limits = options_.limits};
  options.usable.assign(at(task_.actions), 1);
  for (const int a : unused_actions()) options.usable[at(a)] = 0;
  task_.models = ActionModels::solved(std::move(task_.frame),
                                      std::span(sums_).subspan(spread_size(task_.heads)),
                                      options_.fit);
  const GridSample sample{.step = sample_step(task_.rows), .numbers = std::move(samples_.grid)};
  support_ = CurveSupport(sample, task_.models.frame(), samples_.tail);
  for (const bool constant : {false, true}) {
    options.constant = constant;
    task_.grids.push_back(make_grid(sample, task_.models, options));
  }
}

std::vector<double> WhatifDriver::budgets_of(const PricedClass& policies) const {
  std::vector<double> out = options_.budgets;
  const double logged = task_.mean[at(options_.cost)];
  const double last = options_.budgets.back();
  const BudgetMix mix = policies.meet(last);
  const double spent = mix.possible && !mix.binding ? mix.values[at(options_.cost)] : last;
  for (const double mark : {logged, logged / 2.0, spent / 2.0}) out.push_back(mark);
  return out;
}

void WhatifDriver::end_value() {
  std::span<const double> rest = sums_;
  for (const PricedGrid& grid : task_.grids) {
    const std::size_t size = ValueSums(grid, task_.models.folds()).size;
    PricedClass& policies = classes_.emplace_back(grid);
    policies.set_values(rest.first(size), task_.models.folds());
    rest = rest.subspan(size);
    std::vector<BudgetMix> mixes;
    for (const double budget : budgets_of(policies)) mixes.push_back(policies.meet(budget));
    task_.mixes.push_back(std::move(mixes));
  }
}

void WhatifDriver::end_spread() {
  std::vector<ClassCurve> curves;
  std::span<const double> rest = sums_;
  const std::size_t count = options_.budgets.size();
  for (std::size_t g = 0; g < classes_.size(); ++g) {
    const std::size_t size = ErrorSums(task_.grids[g], task_.mixes[g].size()).size;
    const double rows = static_cast<double>(classes_[g].rows_used());
    const std::vector<double> expected =
        support_.expected_sizes(task_.models, task_.grids[g], task_.mixes[g], rows);
    const double floor_size = out_.adaptive ? rows * samples_.tail.end() : kNan;
    curves.push_back(curve_of(classes_[g], task_.mixes[g], budgets_of(classes_[g]), expected, count,
                              options_.seed, samples_.tail.has_floor(), floor_size,
                              rest.first(size)));
    rest = rest.subspan(size);
  }
  out_.least = classes_[0].least();
  out_.most = classes_[0].most();
  out_.rows = classes_[0].rows_used();
  std::vector<CurvePoint> marks(curves[0].points.begin() + static_cast<std::ptrdiff_t>(count),
                                curves[0].points.end());
  for (ClassCurve& curve : curves) curve.points.resize(count);
  out_.points = std::move(curves[0].points);
  out_.fixed = std::move(curves[1].points);
  out_.warnings = warnings_of(out_, unused_actions());
  if (!out_.estimated) drop_bands(calibration_of(log_, task_), out_, marks);
  add_verdict(out_, marks, curves[0].covariance[0]);
}

}  // namespace rein
