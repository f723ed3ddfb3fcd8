#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "offpolicy/action_warnings.h"
#include "offpolicy/at.h"
#include "offpolicy/balance.h"
#include "offpolicy/scores.h"
#include "offpolicy/support.h"

namespace rein {
namespace {

// Propensities that were written with three digits or more are right. What they are off by changes a
// value by the same share, at most.
constexpr double kRounded = 1e-3;

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

void add_calibration(const OfflineRows& rows, const PolicyScores& scores, Overlap& out) {
  std::vector<double> offered(at(rows.actions), 0.0);
  std::vector<double> sum(at(rows.actions), 0.0);
  std::vector<double> square(at(rows.actions), 0.0);
  for (const std::int64_t row : scores.row) {
    for (int a = 0; a < rows.actions; ++a) {
      if (rows.offered.empty() || rows.offered[at(row * rows.actions + a)] != 0)
        offered[at(a)] += 1.0;
    }
    const std::size_t played = at(rows.played[at(row)]);
    const double inverse = 1.0 / rows.propensity[at(row)];
    sum[played] += inverse;
    square[played] += inverse * inverse;
  }
  for (std::size_t a = 0; a < sum.size(); ++a) {
    const double n = offered[a];
    const double mean = n > 0.0 ? sum[a] / n : 0.0;
    out.calibration.push_back(mean);
    out.calibration_error.push_back(
        n > 0.0 ? std::sqrt(std::max(square[a] / n - mean * mean, 0.0) / n) : 0.0);
  }
}

void balance_policy(const OfflineRows& rows, std::span<const double> target,
                    const PolicyScores& scores, Overlap& out) {
  const std::size_t actions = at(rows.actions);
  const std::size_t features = at(rows.features);
  std::vector<double> center(features, 0.0);
  double total = 0.0;
  const auto context = [&](std::size_t i) {
    return rows.context.data() + scores.row[i] * rows.features;
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
  add_calibration(rows, scores, out);
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

Overlap calibration_of(const OfflineRows& rows) {
  PolicyScores scores;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (rows.complete(row)) scores.row.push_back(row);
  }
  Overlap out;
  add_calibration(rows, scores, out);
  return out;
}

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
  {
    ActionWarnings of_actions(out);
    for (std::size_t a = 0; a < wrong.size(); ++a) {
      if (wrong[a] == 0) continue;
      of_actions.add([&] {
        return fmt::format(
            "no interval: the mean of [action {} played] / propensity is {:.4g} +- {:.2g}, and "
            "should be 1. The propensities are wrong, or the logging policy could not "
            "play the action in some rows",
            a < actions.size() ? actions[a] : fmt::format("{}", a), overlap.calibration[a],
            overlap.calibration_error[a]);
      });
    }
  }
  return out;
}

}  // namespace rein
