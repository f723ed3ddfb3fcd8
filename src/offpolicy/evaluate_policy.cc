#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "offpolicy/overlap.h"
#include "offpolicy/propensity_model.h"
#include "offpolicy/scores.h"

namespace rein {
namespace {

constexpr const char* kNoPropensities =
    "evaluate: the log has no propensities; estimate them first (estimate_propensities)";

Result<void> check_policy(const OfflineRows& rows, std::span<const double> target,
                          std::span<const double> predicted) {
  if (auto good = check_rows(rows); !good) return good;
  if (rows.propensity.empty()) return Error{kNoPropensities};
  const std::size_t cells = at(rows.rows) * at(rows.actions);
  if (target.size() != cells || predicted.size() != cells * at(rows.heads)) {
    return Error{
        fmt::format("evaluate: found {} probabilities and {} predictions; accepted: {} and {}",
                    target.size(), predicted.size(), cells, cells * at(rows.heads))};
  }
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    double sum = 0.0;
    for (int a = 0; a < rows.actions; ++a) {
      const double p = target[at(row * rows.actions + a)];
      if (!(p >= 0.0 && p <= 1.0)) {
        return Error{
            fmt::format("evaluate: the policy's probability of action {} in row {} is {}; "
                        "accepted: 0 to 1",
                        a, row, p)};
      }
      if (p > 0.0 && !rows.offered.empty() && rows.offered[at(row * rows.actions + a)] == 0) {
        return Error{fmt::format(
            "evaluate: the policy plays action {} in row {}, which was not offered", a, row)};
      }
      sum += p;
    }
    if (!(std::abs(sum - 1.0) <= 1e-6)) {
      return Error{fmt::format(
          "evaluate: the policy's probabilities in row {} sum to {}; accepted: 1", row, sum)};
    }
  }
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (!std::isfinite(predicted[i])) {
      return Error{
          fmt::format("evaluate: prediction {} is {}; accepted: a finite number", i, predicted[i])};
    }
  }
  return {};
}

// Parameters of switch_dr and of dros that are tried, evenly spread in their logarithm.
constexpr int kParameters = 20;

using Shrink = double (*)(double ratio, double parameter);
double switched(double ratio, double largest) { return ratio <= largest ? ratio : 0.0; }
double shrunk(double ratio, double parameter) {
  if (std::isinf(parameter)) return ratio;
  return ratio == 0.0 ? 0.0 : parameter * ratio / (ratio * ratio + parameter);
}

PolicyValue changed(const char* name, const PolicyScores& scores, Shrink shrink, double parameter) {
  std::vector<double> ratio(scores.size());
  std::vector<double> left(scores.size());
  for (std::size_t i = 0; i < ratio.size(); ++i) {
    ratio[i] = shrink(scores.ratio[i], parameter);
    left[i] = scores.ratio[i] - ratio[i];
  }
  PolicyValue out = mean_of(name, robust_scores(scores, ratio), scores.weight, scores.heads,
                            scores.units, false);
  out.bias.assign(at(scores.heads), 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < ratio.size(); ++i) {
    total += scores.weight[i];
    for (std::size_t h = 0; h < out.bias.size(); ++h) {
      out.bias[h] -= scores.weight[i] * left[i] * scores.residual[i * out.bias.size() + h];
    }
  }
  for (double& b : out.bias) b /= total;
  return out;
}

// Estimated squared bias + variance of the reward.
double error_of(const PolicyScores& scores, Shrink shrink, double parameter) {
  const std::size_t heads = at(scores.heads);
  const double n = static_cast<double>(scores.size());
  double total = 0.0;
  double sum = 0.0;
  double bias = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double ratio = shrink(scores.ratio[i], parameter);
    total += scores.weight[i];
    sum += scores.weight[i] * (scores.direct[i * heads] + ratio * scores.residual[i * heads]);
    bias -= scores.weight[i] * (scores.ratio[i] - ratio) * scores.residual[i * heads];
  }
  const double mean = sum / total;
  double square = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double ratio = shrink(scores.ratio[i], parameter);
    const double off =
        scores.weight[i] * (scores.direct[i * heads] + ratio * scores.residual[i * heads] - mean);
    square += off * off;
  }
  return (bias * bias + (n > 1.0 ? n / (n - 1.0) : 1.0) * square) / (total * total);
}

// Of candidates, the one with the least estimated squared bias + variance of the reward.
PolicyValue best_changed(const char* name, const PolicyScores& scores, Shrink shrink, double given,
                         double low, double high, double& used) {
  used = given;
  if (given >= 0.0) return changed(name, scores, shrink, given);
  double least = 0.0;
  for (int i = 0; i < kParameters; ++i) {
    const double share = i / (kParameters - 1.0);
    const double parameter = i + 1 == kParameters ? high : low * exp(share * log(high / low));
    const double error = error_of(scores, shrink, parameter);
    if (i > 0 && error >= least) continue;
    least = error;
    used = parameter;
  }
  return changed(name, scores, shrink, used);
}

}  // namespace

const PolicyValue* Evaluation::find(std::string_view estimator) const {
  for (const PolicyValue& value : values) {
    if (value.estimator == estimator) return &value;
  }
  return nullptr;
}

Result<Evaluation> evaluate_policy(const OfflineRows& rows, std::span<const double> target,
                                   std::span<const double> predicted, const ValueOptions& options) {
  if (auto good = check_rows(rows); !good) return good.failure();
  if (rows.propensity.empty()) return Error{kNoPropensities};
  return evaluate_policy(rows, target, predicted, options, PropensityModel(rows));
}

Result<Evaluation> evaluate_policy(const OfflineRows& rows, std::span<const double> target,
                                   std::span<const double> predicted, const ValueOptions& options,
                                   const PropensityModel& model) {
  if (auto good = check_policy(rows, target, predicted); !good) return good.failure();
  const PolicyScores scores = policy_scores(rows, target, predicted);
  Evaluation out;
  out.used = static_cast<std::int64_t>(scores.size());
  for (std::int64_t row = 0; row < rows.rows; ++row) out.missing += rows.complete(row) ? 0 : 1;
  out.adaptive = options.adaptive == Adaptive::kYes ||
                 (options.adaptive == Adaptive::kAuto && varies_with_time(rows));
  out.overlap = overlap_of(rows, target, scores, model, out.adaptive);
  out.warnings = warnings_of(rows, out.overlap, out.missing, options.actions);
  std::vector<double> weighted(scores.outcome);
  const std::size_t heads = at(scores.heads);
  for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= scores.ratio[i / heads];
  out.values.push_back(
      mean_of("ips", weighted, scores.weight, scores.heads, scores.units, true));
  out.values.push_back(ratio_of("snips", scores));
  out.values.push_back(
      mean_of("dm", scores.direct, scores.weight, scores.heads, scores.units, false));
  out.values.push_back(
      mean_of("dr", robust_scores(scores, scores.ratio), scores.weight, scores.heads, scores.units,
              true));
  std::vector<double> errors;
  out.values.push_back(efficient_of(scores, errors));
  out.recommended = out.values.size() - 1;
  const double largest = std::max(out.overlap.largest_weight, 1e-12);
  out.values.push_back(best_changed("switch_dr", scores, switched, options.switch_at,
                                    std::min(1.0, largest), largest, out.switch_at));
  out.values.push_back(best_changed("dros", scores, shrunk, options.shrink,
                                    1e-2 * std::min(1.0, largest * largest),
                                    1e3 * largest * largest, out.shrink));
  std::vector<double> ratio(scores.ratio);
  for (double& w : ratio) w = shrunk(w, out.shrink);
  const std::vector<double> shrunk_scores = robust_scores(scores, ratio);
  out.values.push_back(blend_of(rows, target, predicted, scores,
                                {.efficient = *out.find("efficient_dr"),
                                 .errors = errors,
                                 .shrunk = *out.find("dros"),
                                 .scores = shrunk_scores,
                                 .adaptive = out.adaptive}));
  if (out.adaptive && scores.size() >= 40) {
    out.values.push_back(stabilized_of(scores));
    out.recommended = out.values.size() - 1;
  }
  set_intervals(rows, scores, options, out);
  return out;
}

}  // namespace rein
