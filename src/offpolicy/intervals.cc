#include "offpolicy/intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/at.h"

namespace rein {
namespace {

bool known(const OutcomeRange& range) { return range.low < range.high; }

// From the numbers of all observations, w (y - low) / (high - low), or of 1 less that where most outcomes
// are near the high end, in units of the largest possible one. An estimate outside is taken in.
void bet(const std::vector<double>& weight, std::span<const double> outcome, std::size_t heads,
         const OutcomeRange& range, std::size_t head, PolicyValue& value) {
  const double width = range.high - range.low;
  const double most = *std::max_element(weight.begin(), weight.end());
  if (!(most > 0.0)) return;
  std::vector<double> share;
  double sum = 0.0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    share.push_back((outcome[i * heads + head] - range.low) / width);
    sum += share.back();
  }
  const bool turned = sum > 0.5 * static_cast<double>(share.size());
  for (std::size_t i = 0; i < share.size(); ++i) {
    share[i] = weight[i] / most * (turned ? 1.0 - share[i] : share[i]);
  }
  Ends ends = bounded95(std::move(share));
  ends = {std::min(1.0, most * ends.low), std::min(1.0, most * ends.high)};
  if (turned) ends = {1.0 - ends.high, 1.0 - ends.low};
  value.low[head] = std::min(range.low + width * ends.low, value.value[head]);
  value.high[head] = std::max(range.low + width * ends.high, value.value[head]);
}

// Whether bets may be used for this head: outcomes in their range, and rows that count the same.
bool may_bet(const OfflineRows& rows, const PolicyScores& scores, const OutcomeRange& range,
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
void say_few(const ValueOptions& options, const PolicyValue& value, const Units& units,
             std::vector<std::string>& warnings) {
  std::string same;
  for (std::size_t h = 0; h < value.value.size(); ++h) {
    const double carriers = value.error_rows[h];
    if (!std::isnan(value.low[h]) || carriers >= kFewestErrorRows) continue;
    const std::string name = name_of(options, h);
    if (!units.of.empty() && (carriers > 0.0 || units.count < 2)) {
      warnings.push_back(fmt::format("no interval for {}: about {:.2g} units of the log make up its error",
                                     name, std::max(carriers, 1.0)));
    } else if (carriers > 0.0) {
      warnings.push_back(fmt::format(
          "no interval for {0}: about {1:.2g} rows of the log make up its error; accepted: more rows, "
          "or --range {0}=LOW:HIGH",
          name, carriers));
    } else {
      same += (same.empty() ? "" : " and ") + name;
    }
  }
  if (same.empty()) return;
  warnings.push_back(fmt::format(
      "no interval for {}: all rows that count gave the same, so nothing shows how much it varies. That is "
      "as it should be for a list price; otherwise say --range",
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

void set_intervals(const OfflineRows& rows, const PolicyScores& scores, const ValueOptions& options,
                   Evaluation& out) {
  const Overlap& overlap = out.overlap;
  const std::vector<std::uint8_t> wrong = miscalibrated(overlap);
  const double size = size_for_interval(overlap);
  const bool bad = overlap.uncovered > 1e-9 || size < kSmallestEffectiveSize ||
                   overlap.variance_rows < kFewestVarianceRows || !balanced(overlap) ||
                   std::find(wrong.begin(), wrong.end(), 1) != wrong.end() ||
                   off_balance(overlap) || (out.adaptive && !rows.unit.empty());
  if (out.adaptive && !rows.unit.empty()) {
    out.warnings.emplace_back(
        "no interval: a learning policy made the log, and its rows belong together in units; "
        "accepted: one of the two");
  }
  const std::vector<OutcomeRange> ranges = ranges_of(rows, options.ranges);
  for (PolicyValue& value : out.values) {
    const bool promises = !value.error_rows.empty() && value.bias.empty() && value.estimator != "dm";
    const bool few = value.estimator == "ips" && size < kSmallestIpsSize;
    if (bad || few || !promises) {
      value.low.assign(value.value.size(), kNan);
      value.high.assign(value.value.size(), kNan);
      continue;
    }
    for (std::size_t h = 0; h < value.value.size(); ++h) {
      value.error_rows[h] = rows_behind(out, value, h);
      if (value.error_rows[h] >= kFewestVarianceRows) continue;
      if (may_bet(rows, scores, ranges[h], h)) {
        bet(scores.ratio, scores.outcome, value.value.size(), ranges[h], h, value);
      } else if (value.error_rows[h] < kFewestErrorRows) {
        value.low[h] = value.high[h] = kNan;
      }
    }
  }
  if (!bad) say_few(options, out.values[out.recommended], scores.units, out.warnings);
}

void set_logged_interval(const OfflineRows& rows, const ValueOptions& options, PolicyValue& value,
                         std::vector<std::string>& warnings) {
  const std::vector<OutcomeRange> ranges = ranges_of(rows, options.ranges);
  PolicyScores scores{.heads = rows.heads};
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row) || rows.weight(row) <= 0.0) continue;
    scores.row.push_back(row);
    scores.weight.push_back(rows.weight(row));
    scores.ratio.push_back(1.0);
    const double* y = rows.outcomes.data() + row * rows.heads;
    scores.outcome.insert(scores.outcome.end(), y, y + rows.heads);
  }
  scores.units = Units::some(rows, scores.row);
  for (std::size_t h = 0; h < value.value.size(); ++h) {
    if (value.error_rows[h] >= kFewestVarianceRows || !may_bet(rows, scores, ranges[h], h)) continue;
    bet(scores.ratio, scores.outcome, value.value.size(), ranges[h], h, value);
  }
  say_few(options, value, scores.units, warnings);
}

}  // namespace rein
