// Which estimates of a policy have an interval, and from what it is made; and sensitivity bands, which
// say what wrong propensities could change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/math.h"
#include "offpolicy/bounded.h"
#include "offpolicy/overlap.h"
#include "offpolicy/scores.h"
#include "offpolicy/tail.h"

namespace rein {
namespace {

bool known(const OutcomeRange& range) { return range.low < range.high; }

// From the numbers of all observations, w (y - low) / (high - low), or of 1 less that where the policy's outcomes
// are mostly near the high end, in units of the largest possible one. An estimate outside is taken in. `learner`: it
// made the log or is evaluated, so what comes depends on what came before.
void set_from_range(const std::vector<double>& weight, std::span<const double> outcome,
                    std::size_t heads, const OutcomeRange& range, std::size_t head, bool learner,
                    PolicyValue& value) {
  const double width = range.high - range.low;
  const double largest = *std::max_element(weight.begin(), weight.end());
  if (!(largest > 0.0)) return;
  std::vector<double> share;
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    share.push_back((outcome[i * heads + head] - range.low) / width);
    sum += weight[i] * share.back();
    total += weight[i];
  }
  const bool turned = sum > 0.5 * total;
  for (std::size_t i = 0; i < share.size(); ++i) {
    share[i] = weight[i] / largest * (turned ? 1.0 - share[i] : share[i]);
  }
  Ends ends = learner ? bets95(std::move(share)) : independent95(std::move(share));
  ends = {std::min(1.0, largest * ends.low), std::min(1.0, largest * ends.high)};
  if (turned) ends = {1.0 - ends.high, 1.0 - ends.low};
  value.low[head] = std::min(range.low + width * ends.low, value.value[head]);
  value.high[head] = std::max(range.low + width * ends.high, value.value[head]);
}

// Whether the range alone may give the interval of this head: outcomes in it, and rows that count the same.
bool range_helps(const OfflineRows& rows, const PolicyScores& scores, const OutcomeRange& range,
             std::size_t head) {
  if (!known(range) || !rows.unit.empty()) return false;
  const std::size_t heads = at(rows.heads);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double y = scores.outcome[i * heads + head];
    if (scores.weight[i] != scores.weight[0] || y < range.low || y > range.high) return false;
  }
  return true;
}

std::string name_of(const ValueOptions& options, std::size_t head) {
  if (head < options.heads.size()) return options.heads[head];
  return head == 0 ? "reward" : fmt::format("cost {}", head);
}

// How many rows carry what is known about a head: of the estimate's errors, or of the outcomes alone as
// snips weighs them. Predictions make the errors of many rows differ where not one of them has the rare
// outcome.
double rows_behind(const Evaluation& out, const PolicyValue& value, std::size_t head) {
  return std::min(value.error_rows[head], out.find("snips")->error_rows[head]);
}

// Why heads have no interval of their own, where others may have one.
void explain_missing(const ValueOptions& options, const PolicyValue& value, const Units& units,
                     Evaluation& out) {
  std::vector<std::string>& warnings = out.warnings;
  std::string same;
  for (std::size_t h = 0; h < value.value.size(); ++h) {
    const double carriers = value.error_rows[h];
    if (!std::isnan(value.low[h])) continue;
    const std::string name = name_of(options, h);
    if (heavy(out.tail_index[h])) {
      const std::string range = fmt::format("--range {}=LOW:HIGH where rows count the same, or ", name);
      warnings.push_back(heavy_tail_text("interval", name, out.tail_index[h],
                                         (units.of.empty() ? range : "") + "outcomes cut off at a limit"));
      continue;
    }
    if (carriers >= kFewestErrorRows) continue;
    if (!units.of.empty() && (carriers > 0.0 || units.count < 2)) {
      warnings.push_back(
          fmt::format("no interval for {}: about {:.2g} units of the log make up its error", name,
                      std::max(carriers, 1.0)));
    } else if (carriers > 0.0) {
      warnings.push_back(fmt::format(
          "no interval for {0}: about {1:.2g} rows of the log make up its error; accepted: more "
          "rows, or --range {0}=LOW:HIGH",
          name, carriers));
    } else {
      same += (same.empty() ? "" : " and ") + name;
    }
  }
  if (same.empty()) return;
  warnings.push_back(fmt::format(
      "no interval for {}: all rows that count gave the same, so nothing shows how much it varies. "
      "That is as it should be for a list price; otherwise say --range",
      same));
}

}  // namespace

std::vector<OutcomeRange> ranges_of(const OfflineRows& rows, std::span<const OutcomeRange> given) {
  std::vector<OutcomeRange> out(at(rows.heads), {kNan, kNan});
  for (std::size_t h = 0; h < out.size(); ++h) {
    if (h < given.size() && known(given[h])) {
      out[h] = given[h];
      continue;
    }
    bool yes_or_no = true;
    for (std::size_t i = h; i < rows.outcomes.size() && yes_or_no; i += out.size()) {
      const double y = rows.outcomes[i];
      yes_or_no = std::isnan(y) || y == 0.0 || y == 1.0;
    }
    if (yes_or_no) out[h] = {0.0, 1.0};
  }
  return out;
}

namespace {

// What the tail of each head adds to its intervals.
std::vector<Stretch> stretches(const PolicyScores& scores, std::span<const double> tails) {
  std::vector<Stretch> out;
  for (std::size_t h = 0; h < tails.size(); ++h) {
    std::vector<double> errors;
    if (tails[h] > 0.0) {
      for (std::size_t i = 0; i < scores.size(); ++i)
        errors.push_back(scores.weight[i] * scores.ratio[i] * scores.residual[i * tails.size() + h]);
    }
    out.push_back(stretch_of(std::move(errors), scores.units, tails[h]));
  }
  return out;
}

void lengthen(const Stretch& stretch, std::size_t head, PolicyValue& value) {
  const double middle = value.value[head];
  value.low[head] = middle - stretch.low * (middle - value.low[head]);
  value.high[head] = middle + stretch.high * (value.high[head] - middle);
}

}  // namespace

void set_intervals(const OfflineRows& rows, const PolicyScores& scores, const ValueOptions& options,
                   Evaluation& out) {
  const Overlap& overlap = out.overlap;
  const std::vector<std::uint8_t> wrong = miscalibrated(overlap);
  const double size = size_for_interval(overlap);
  const bool unusable = overlap.uncovered > 1e-9 || size < kSmallestEffectiveSize ||
                   overlap.variance_rows < kFewestVarianceRows || !balanced(overlap) ||
                   std::find(wrong.begin(), wrong.end(), 1) != wrong.end() ||
                   off_balance(overlap) || (out.adaptive && !rows.unit.empty());
  if (out.adaptive && !rows.unit.empty()) {
    out.warnings.emplace_back(
        "no interval: a learning policy made the log, and its rows belong together in units; "
        "accepted: one of the two");
  }
  const std::vector<OutcomeRange> ranges = ranges_of(rows, options.ranges);
  out.tail_index = tail_index(rows);
  const std::vector<Stretch> longer = stretches(scores, out.tail_index);
  for (PolicyValue& value : out.values) {
    const bool promises = !value.error_rows.empty() && value.bias.empty() && value.estimator != "dm";
    const bool few = value.estimator == "ips" && size < kSmallestIpsSize;
    if (unusable || few || !promises) {
      value.low.assign(value.value.size(), kNan);
      value.high.assign(value.value.size(), kNan);
      continue;
    }
    for (std::size_t h = 0; h < value.value.size(); ++h) {
      value.error_rows[h] = rows_behind(out, value, h);
      const bool slow = heavy(out.tail_index[h]);
      lengthen(longer[h], h, value);
      if (value.error_rows[h] >= kFewestVarianceRows && !slow) continue;
      if (range_helps(rows, scores, ranges[h], h)) {
        set_from_range(scores.ratio, scores.outcome, value.value.size(), ranges[h], h,
                       out.adaptive || options.learning, value);
      } else if (slow || value.error_rows[h] < kFewestErrorRows) {
        value.low[h] = value.high[h] = kNan;
      }
    }
  }
  if (!unusable) explain_missing(options, out.values[out.recommended], scores.units, out);
}

void set_logged_interval(const OfflineRows& rows, const PolicyScores& logged,
                         const ValueOptions& options, PolicyValue& value, Evaluation& out) {
  const std::vector<OutcomeRange> ranges = ranges_of(rows, options.ranges);
  out.tail_index = tail_index(rows);
  const std::vector<Stretch> longer = stretches(logged, out.tail_index);
  for (std::size_t h = 0; h < value.value.size(); ++h) {
    const bool slow = heavy(out.tail_index[h]);
    lengthen(longer[h], h, value);
    if (value.error_rows[h] >= kFewestVarianceRows && !slow) continue;
    if (range_helps(rows, logged, ranges[h], h)) {
      set_from_range(logged.ratio, logged.outcome, value.value.size(), ranges[h], h,
                     options.adaptive == Adaptive::kYes, value);
    } else if (slow) {
      value.low[h] = value.high[h] = kNan;
    }
  }
  explain_missing(options, value, logged.units, out);
}

// Sensitivity bands.
namespace {

// One residual with the least and the largest weight that it may have.
struct Bounded {
  double residual, low, high;
};

struct Extreme {
  double value = 0.0;    // sum v residual / sum v
  std::size_t high = 0;  // this many rows, from the start, have their largest weight
};

// The largest weighted mean of residuals in descending order: the first rows get their largest
// weights, the others their least.
Extreme largest(const std::vector<Bounded>& sorted) {
  double top = 0.0;
  double total = 0.0;
  for (const Bounded& row : sorted) {
    top += row.low * row.residual;
    total += row.low;
  }
  Extreme best{top / total, 0};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    top += (sorted[i].high - sorted[i].low) * sorted[i].residual;
    total += sorted[i].high - sorted[i].low;
    if (top / total > best.value) best = {top / total, i + 1};
  }
  return best;
}

// The largest value with kNormal95 standard errors at its weights; sign -1 for the least.
double end_of(const PolicyScores& scores, std::size_t head, const std::vector<double>& lows,
              const std::vector<double>& highs, double sign) {
  const std::size_t heads = at(scores.heads);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto residual = [&](std::size_t i) { return sign * scores.residual[i * heads + head]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return residual(i) > residual(j); });
  std::vector<Bounded> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back({residual(i), lows[i], highs[i]});
  const Extreme best = largest(sorted);
  double total = 0.0;
  double weights = 0.0;
  double direct = 0.0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    total += k < best.high ? sorted[k].high : sorted[k].low;
    weights += scores.weight[order[k]];
    direct += scores.weight[order[k]] * sign * scores.direct[order[k] * heads + head];
  }
  direct /= weights;
  std::vector<double> errors(scores.units.size(scores.size()), 0.0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double v = k < best.high ? sorted[k].high : sorted[k].low;
    const std::size_t i = order[k];
    errors[scores.units.of.empty() ? i : at(scores.units.of[i])] +=
        scores.weight[i] * (sign * scores.direct[i * heads + head] - direct) / weights +
        v * (sorted[k].residual - best.value) / total;
  }
  double square = 0.0;
  for (const double error : errors) square += error * error;
  return sign * (direct + best.value + kNormal95 * std::sqrt(square));
}

}  // namespace

SensitivityBand sensitivity_of(const PolicyScores& scores, std::span<const double> propensity,
                               int head, double lambda) {
  std::vector<double> lows(scores.size());
  std::vector<double> highs(scores.size());
  const std::size_t heads = at(scores.heads);
  const std::size_t h = at(head);
  double direct = 0.0;
  double weights = 0.0;
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double p = propensity[at(scores.row[i])];
    const double odds = 1.0 / p - 1.0;
    const double scale = scores.weight[i] * scores.ratio[i] * p;
    lows[i] = scale * (1.0 + odds / lambda);
    highs[i] = scale * (1.0 + lambda * odds);
    direct += scores.weight[i] * scores.direct[i * heads + h];
    weights += scores.weight[i];
    const double w = scores.weight[i] * scores.ratio[i];
    sum += w * scores.residual[i * heads + h];
    total += w;
  }
  if (!(total > 0.0)) return {.value = kNan, .low = kNan, .high = kNan};
  return {.value = direct / weights + sum / total,
          .low = end_of(scores, h, lows, highs, -1.0),
          .high = end_of(scores, h, lows, highs, 1.0)};
}

Result<SensitivityBand> sensitivity_band(const OfflineRows& rows, std::span<const double> target,
                                         std::span<const double> predicted, int head,
                                         double lambda) {
  if (!(lambda >= 1.0 && lambda <= kMostLambda)) {
    return Error{
        fmt::format("sensitivity: found lambda {}; accepted: 1 to {:g}", lambda, kMostLambda)};
  }
  if (head < 0 || head >= rows.heads) {
    return Error{
        fmt::format("sensitivity: found head {}; accepted: 0 to {}", head, rows.heads - 1)};
  }
  // Checks the rows, the policy and the predictions.
  auto checked = evaluate_policy(rows, target, predicted,
                                 {.switch_at = 1.0, .shrink = 1.0, .adaptive = Adaptive::kNo});
  if (!checked) return checked.failure();
  const SensitivityBand out =
      sensitivity_of(policy_scores(rows, target, predicted), rows.propensity, head, lambda);
  if (std::isnan(out.value)) {
    return Error{"sensitivity: the log never played an action that the policy plays"};
  }
  return out;
}

}  // namespace rein
