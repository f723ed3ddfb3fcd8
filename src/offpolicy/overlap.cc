#include "offpolicy/overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/math.h"
#include "offpolicy/report_text.h"

namespace rein {
namespace {

// Propensities that were written with three digits or more are right. What they are off by changes a
// value by the same share, at most.
constexpr double kRounded = 1e-3;
// A mean that fewer rows carry is not judged, because it is not normal.
constexpr double kFewestBalanceRows = 30.0;
// Level of all balance tests of a policy together.
constexpr double kBalanceLevel = 0.01;
constexpr double kPi = 3.141592653589793;

void add_weights(const PolicyScores& scores, Overlap& out) {
  std::vector<double> w(scores.size());
  double total = 0.0;
  double sum = 0.0;
  double square = 0.0;
  double fourth = 0.0;
  double spread = 0.0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i] = scores.weight[i] * scores.ratio[i];
    total += scores.weight[i];
    sum += w[i];
    square += w[i] * w[i];
    fourth += w[i] * w[i] * w[i] * w[i];
    out.largest_weight = std::max(out.largest_weight, scores.ratio[i]);
  }
  out.effective_size = square > 0.0 ? sum * sum / square : 0.0;
  out.variance_rows = fourth > 0.0 ? square * square / fourth : 0.0;
  out.mean_weight = sum / total;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double off = scores.weight[i] * (scores.ratio[i] - out.mean_weight);
    spread += off * off;
  }
  out.mean_weight_error = std::sqrt(spread) / total;
  const std::size_t top = std::max<std::size_t>(1, w.size() / 100);
  std::nth_element(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(top - 1), w.end(),
                   std::greater<>());
  // In sorted order, so that the sum has the same bits however nth_element arranges them.
  std::sort(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(top));
  double largest = 0.0;
  for (std::size_t i = 0; i < top; ++i) largest += w[i];
  out.top_share = sum > 0.0 ? largest / sum : 0.0;
}

void balance_policy(const OfflineRows& rows, std::span<const double> target,
                    const PolicyScores& scores, Overlap& out) {
  const std::size_t actions = at(rows.actions);
  const std::size_t features = at(rows.features);
  std::vector<double> center(features, 0.0);
  double total = 0.0;
  const auto context = [&](std::size_t i) {
    return context_of(rows, scores.row[i]);
  };
  for (std::size_t i = 0; i < scores.size(); ++i) {
    total += scores.weight[i];
    for (std::size_t j = 0; j < features; ++j) center[j] += scores.weight[i] * context(i)[j];
  }
  for (double& c : center) c /= total;
  std::vector<double> sums(balance_size(actions, features), 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    add_balance({.played = at(rows.played[at(scores.row[i])]),
                 .weight = scores.weight[i],
                 .ratio = scores.ratio[i],
                 .target = target.subspan(at(scores.row[i] * rows.actions), actions),
                 .context = context(i),
                 .center = center.data()},
                sums);
  }
  out.balance = balance_of(sums, static_cast<double>(scores.size()));
  out.balance_limit = balance_limit(actions + features);
}

}  // namespace

double size_for_interval(const Overlap& overlap) {
  if (!std::isnan(overlap.floor_size)) return kSizePerFloorRow * overlap.floor_size;
  return std::min(overlap.effective_size, overlap.expected_size);
}

bool off_balance(const Overlap& overlap) {
  return std::abs(overlap.mean_weight - 1.0) > 4.0 * overlap.mean_weight_error + kRounded;
}

bool balanced(const Overlap& overlap) { return overlap.balance <= overlap.balance_limit; }

Overlap overlap_of(const OfflineRows& rows, std::span<const double> target,
                   const PolicyScores& scores, const PropensityModel& model, bool adaptive) {
  Overlap out;
  add_weights(scores, out);
  PropensityTail tail;
  tail.add(rows.propensity);
  if (!tail.has_floor()) out.variance_rows = kNan;
  if (adaptive) out.floor_size = static_cast<double>(scores.size()) * tail.end();
  std::vector<double> calibration(calibration_size(rows.actions), 0.0);
  for (const std::int64_t row : scores.row) add_calibration(rows, row, calibration);
  set_calibration(calibration, out);
  double total = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    total += scores.weight[i];
    for (int a = 0; a < rows.actions; ++a) {
      if (out.calibration[at(a)] == 0.0) {
        out.uncovered += scores.weight[i] * target[at(scores.row[i] * rows.actions + a)];
      }
    }
  }
  out.uncovered /= total;
  balance_policy(rows, target, scores, out);
  out.expected_size = expected_size(model, rows, target, scores.row);
  return out;
}

std::vector<std::uint8_t> miscalibrated(const Overlap& overlap) {
  std::vector<std::uint8_t> out(overlap.calibration.size(), 0);
  for (std::size_t a = 0; a < out.size(); ++a) {
    const double mean = overlap.calibration[a];
    const double error = overlap.calibration_error[a];
    out[a] = mean > 0.0 && std::abs(mean - 1.0) > 5.0 * error + kRounded ? 1 : 0;
  }
  return out;
}

void add_calibration(const OfflineRows& rows, std::int64_t row, std::span<double> sums) {
  const std::size_t actions = at(rows.actions);
  for (int a = 0; a < rows.actions; ++a) {
    if (offers(rows, row, a)) sums[at(a)] += 1.0;
  }
  const std::size_t played = at(rows.played[at(row)]);
  const double inverse = 1.0 / rows.propensity[at(row)];
  sums[actions + played] += inverse;
  sums[2 * actions + played] += inverse * inverse;
}

void set_calibration(std::span<const double> sums, Overlap& out) {
  const std::size_t actions = sums.size() / 3;
  for (std::size_t a = 0; a < actions; ++a) {
    const double n = sums[a];
    const double mean = n > 0.0 ? sums[actions + a] / n : 0.0;
    const double variance = n > 0.0 ? sums[2 * actions + a] / n - mean * mean : 0.0;
    out.calibration.push_back(mean);
    out.calibration_error.push_back(n > 0.0 ? std::sqrt(std::max(variance, 0.0) / n) : 0.0);
  }
}

void add_balance(const BalanceRow& row, std::span<double> sums) {
  const std::size_t tests = sums.size() / 3;
  const std::size_t actions = row.target.size();
  const auto add = [&](std::size_t test, double value) {
    const double square = value * value;
    sums[test] += value;
    sums[tests + test] += square;
    sums[2 * tests + test] += square * square;
  };
  for (std::size_t a = 0; a < actions; ++a) {
    const double now = a == row.played ? row.ratio : 0.0;
    if (now != row.target[a]) add(a, row.weight * (now - row.target[a]));
  }
  const double off = row.weight * (row.ratio - 1.0);
  for (std::size_t j = 0; j < tests - actions; ++j)
    add(actions + j, off * (row.context[j] - row.center[j]));
}

void add_log_balance(const BalanceRow& row, double inverse, std::size_t features,
                     std::span<double> sums) {
  const std::size_t tests = 1 + features;
  const std::span<double> own = sums.subspan(3 * tests * (1 + row.played), 3 * tests);
  for (std::size_t test = 0; test < tests; ++test) {
    const double x = row.weight * (test == 0 ? 1.0 : row.context[test - 1] - row.center[test - 1]);
    const double other = -x;
    const double played = (inverse - 1.0) * x;
    const double powers[] = {other, other * other, other * other * other * other};
    const double mine[] = {played, played * played, played * played * played * played};
    for (std::size_t power = 0; power < 3; ++power) {
      sums[power * tests + test] += powers[power];
      own[power * tests + test] += mine[power] - powers[power];
    }
  }
}

double log_balance_of(std::span<const double> sums, std::size_t features, std::size_t action,
                      double n) {
  const std::size_t size = 3 * (1 + features);
  std::vector<double> of(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(size));
  for (std::size_t i = 0; i < size; ++i) of[i] += sums[size * (1 + action) + i];
  return balance_of(of, n);
}

double balance_of(std::span<const double> sums, double n) {
  const std::size_t tests = sums.size() / 3;
  double out = 0.0;
  for (std::size_t test = 0; test < tests; ++test) {
    const double sum = sums[test];
    const double square = sums[tests + test];
    const double spread = square - sum * sum / n;
    if (!(spread > 1e-12 * square)) continue;  // rounding, or nothing at all
    if (square * square < kFewestBalanceRows * sums[2 * tests + test]) continue;
    out = std::max(out, std::abs(sum) / std::sqrt(spread));
  }
  return out;
}

// The two-sided normal quantile, by the expansion of small tails.
double balance_limit(std::size_t tests) {
  const double cost = -log(0.5 * kBalanceLevel / static_cast<double>(tests));
  return std::sqrt(2.0 * cost - log(4.0 * kPi * cost));
}

namespace {

// Why the log is too small for an interval.
void warn_of_size(const Overlap& overlap, std::vector<std::string>& out) {
  const bool learner = !std::isnan(overlap.floor_size);
  const bool enough = size_for_interval(overlap) >= kSmallestEffectiveSize;
  if (learner && !enough) {
    out.push_back(fmt::format(
        "no interval: a learning policy made the log, and its rows times its least propensity are "
        "{:.3g}, under {}. Set a larger least probability of each action (least=), or take more "
        "rows",
        overlap.floor_size, kSmallestEffectiveSize / kSizePerFloorRow));
  }
  if (!learner && overlap.effective_size < kSmallestEffectiveSize) {
    out.push_back(
        fmt::format("no interval: the effective sample size is {:.3g}, under {}. The "
                    "log rarely played what this policy plays",
                    overlap.effective_size, kSmallestEffectiveSize));
  }
  if (!learner && overlap.effective_size >= kSmallestEffectiveSize && !enough) {
    out.push_back(fmt::format(
        "no interval: logs with such propensities may have an effective sample size of only "
        "{:.3g}, under {}. This log has {:.3g}, but may lack rows that it plays very rarely and "
        "that carry the value",
        overlap.expected_size, kSmallestEffectiveSize, overlap.effective_size));
  }
  if (enough && overlap.variance_rows < kFewestVarianceRows) {
    out.push_back(
        fmt::format("no interval: about {:.3g} rows with large weights carry the variance, under "
                    "{}. The log rarely played what this policy plays in some contexts",
                    overlap.variance_rows, kFewestVarianceRows));
  }
}

}  // namespace

std::vector<std::string> warnings_of(const OfflineRows& rows, const Overlap& overlap,
                                     std::int64_t missing, std::span<const std::string> actions) {
  std::vector<std::string> out;
  if (missing > 0) {
    out.push_back(
        fmt::format("{} of {} rows lack an outcome and are left out. That is right only if "
                    "what is missing does not depend on the action",
                    missing, rows.rows));
  }
  if (overlap.uncovered > 1e-9) {
    out.push_back(
        fmt::format("no answer: the policy puts {:.3g} of its probability on actions that the "
                    "log never played; only dm says something about them, from its model",
                    overlap.uncovered));
  }
  warn_of_size(overlap, out);
  if (overlap.uncovered <= 1e-9 && off_balance(overlap)) {
    out.push_back(
        fmt::format("propensities look wrong: the mean of target / propensity is {:.4g} +- "
                    "{:.2g}, and should be 1",
                    overlap.mean_weight, overlap.mean_weight_error));
  }
  if (overlap.uncovered <= 1e-9 && !balanced(overlap)) {
    out.push_back(fmt::format(
        "no interval: after weighting, actions or contexts are {:.3g} standard errors from "
        "what the policy meets; accepted: {:.3g}. The log could hardly play what the "
        "policy plays in some contexts, or propensities are wrong",
        overlap.balance, overlap.balance_limit));
  }
  const std::vector<std::uint8_t> wrong = miscalibrated(overlap);
  warn_of_actions(out, wrong.size(), [&](std::size_t a) -> std::optional<std::string> {
    if (wrong[a] == 0) return std::nullopt;
    return fmt::format(
        "no interval: the mean of [action {} played] / propensity is {:.4g} +- {:.2g}, and "
        "should be 1. The propensities are wrong, or the logging policy could not "
        "play the action in some rows",
        a < actions.size() ? actions[a] : fmt::format("{}", a), overlap.calibration[a],
        overlap.calibration_error[a]);
  });
  return out;
}

}  // namespace rein
