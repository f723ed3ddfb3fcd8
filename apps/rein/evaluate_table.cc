#include "evaluate_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "table.h"

namespace rein::app {
namespace {

std::string with_interval(double value, double low, double high) {
  if (std::isnan(value)) return "-";
  if (std::isnan(low)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", value, low, high);
}

void add_heads(const PolicyValue& value, std::vector<std::string>& row) {
  for (std::size_t h = 0; h < value.value.size(); ++h) {
    row.push_back(with_interval(value.value[h], value.low[h], value.high[h]));
  }
}

std::vector<std::string> header_of(const PolicyValues& found, const char* first,
                                   const char* second) {
  std::vector<std::string> out{first, second};
  out.insert(out.end(), found.heads.begin(), found.heads.end());
  return out;
}

void print_recommended(const PolicyValues& found) {
  std::vector<std::string> header = header_of(found, "policy", "estimator");
  header.insert(header.end(), {"effective size", "largest weight"});
  TextTable table(header);
  for (const PolicyLine& line : found.policies) {
    const Evaluation& evaluation = line.evaluation;
    const PolicyValue& best = evaluation.values[evaluation.recommended];
    std::vector<std::string> row{line.name, best.estimator};
    add_heads(best, row);
    row.push_back(brief(evaluation.overlap.effective_size));
    row.push_back(brief(evaluation.overlap.largest_weight));
    table.add(row);
  }
  fmt::print("{}\n", table.str());
}

void print_estimators(const PolicyValues& found, const PolicyLine& line) {
  TextTable table(header_of(found, "estimator", "of"));
  for (const PolicyValue& value : line.evaluation.values) {
    std::vector<std::string> row{value.estimator, line.name};
    add_heads(value, row);
    table.add(row);
  }
  if (line.replay) {
    std::vector<std::string> row{line.replay->rejection.estimator, line.name};
    add_heads(line.replay->rejection, row);
    table.add(row);
  }
  fmt::print("{}\n", table.str());
}

// Whether propensities are right, as far as the log shows.
void print_overlap(const PolicyValues& found, const PolicyLine& line) {
  const Overlap& overlap = line.evaluation.overlap;
  if (overlap.calibration.empty()) return;
  fmt::print(
      "{}: mean weight {:.3f} +- {:.2g}, which should be 1. The largest 1 % of weights have {:.2g} "
      "% "
      "of the sum.\n",
      line.name, overlap.mean_weight, overlap.mean_weight_error, 100.0 * overlap.top_share);
  std::string text;
  constexpr std::size_t kShown = 12;
  for (std::size_t a = 0; a < std::min(kShown, overlap.calibration.size()); ++a) {
    text += fmt::format("{}{} {:.3f} +- {:.2g}", a == 0 ? "" : ", ", found.actions[a],
                        overlap.calibration[a], overlap.calibration_error[a]);
  }
  if (overlap.calibration.size() > kShown) text += ", ...";
  fmt::print("Mean of [played] / propensity, which should be 1: {}.\n", text);
}

void print_differences(const PolicyValues& found) {
  if (found.policies.size() < 2) return;
  std::vector<std::string> header = header_of(found, "minus the first", "rows");
  TextTable table(header);
  for (const PolicyLine& line : found.policies) {
    if (!line.difference) continue;
    std::vector<std::string> row{line.name, fmt::format("{}", line.difference->rows)};
    add_heads(line.difference->value, row);
    table.add(row);
  }
  fmt::print("{}\n", table.str());
}

bool has_sequences(const PolicyValues& found) {
  return std::ranges::any_of(found.policies,
                             [](const PolicyLine& line) { return !line.sequences.empty(); });
}

void print_bands(const PolicyValues& found) {
  if (has_sequences(found)) {
    TextTable table(header_of(found, "at all times, 95 %", "rows"));
    for (const PolicyLine& line : found.policies) {
      if (line.sequences.empty()) continue;
      std::vector<std::string> row{line.name, fmt::format("{}", line.sequences[0].rows.back())};
      for (const ConfidenceSequence& each : line.sequences) {
        row.push_back(std::isnan(each.low.back())
                          ? "-"
                          : fmt::format("[{:.4g}, {:.4g}]", each.low.back(), each.high.back()));
      }
      table.add(row);
    }
    fmt::print("{}\n", table.str());
  }
  if (!(found.lambda > 0.0)) return;
  TextTable table(header_of(found, "sensitivity", "lambda"));
  for (const PolicyLine& line : found.policies) {
    if (line.sensitivity.empty()) continue;
    std::vector<std::string> row{line.name, fmt::format("{:.4g}", found.lambda)};
    for (const SensitivityBand& band : line.sensitivity) {
      row.push_back(with_interval(band.value, band.low, band.high));
    }
    table.add(row);
  }
  fmt::print("{}\n", table.str());
}

void print_region(const PolicyValues& found, const PolicyLine& line) {
  if (!line.region) return;
  std::string limits;
  for (const HeadLimit& limit : found.limits) {
    limits += fmt::format("{}{} {} {:.4g}", limits.empty() ? "" : " and ",
                          found.heads[static_cast<std::size_t>(limit.head)],
                          limit.at_least ? "at least" : "at most", limit.amount);
  }
  if (!line.region->possible) {
    fmt::print("{}: no point of the joint 95 % region has {}.\n", line.name, limits);
    return;
  }
  fmt::print("{}: {} {}. There the reward is {:.4g} to {:.4g}, in the joint 95 % region.\n",
             line.name, line.region->certain ? "the whole region keeps" : "the region allows",
             limits, line.region->low, line.region->high);
}

void print_replay(const PolicyLine& line) {
  if (!line.replay) return;
  const LogReplay& replay = *line.replay;
  fmt::print(
      "{}: it lived {} rounds of a horizon of {}, out of {} rows. Rejection alone: reward {}.\n",
      line.name, replay.accepted, replay.horizon, replay.rows,
      with_interval(replay.rejection.value[0], replay.rejection.low[0], replay.rejection.high[0]));
}

}  // namespace

void print_values(const PolicyValues& found, bool all, const std::string& note) {
  print_recommended(found);
  for (const PolicyLine& line : found.policies) {
    if (all || found.policies.size() == 1) print_estimators(found, line);
  }
  print_differences(found);
  print_bands(found);
  for (const PolicyLine& line : found.policies) {
    print_replay(line);
    print_region(found, line);
    if (all || found.policies.size() == 1) print_overlap(found, line);
  }
  fmt::print(
      "{} rows{}{}{}. Per round. Intervals hold in 95 % of logs, if {}, and if\n"
      "the log could play what the policy plays in every context. No log can show that.\n{}",
      found.rows, found.units > 0 ? fmt::format(" of {} unit{}", found.units, found.units == 1 ? "" : "s") : "",
      found.first > 0 ? fmt::format(", of which the first {} were for training", found.first) : "",
      found.adaptive ? "; the log looks made by a policy that learned" : "",
      found.units > 0 ? "units are independent" : "rows are independent", note);
  if (found.adaptive && !has_sequences(found)) {
    fmt::print("With --range NAME=LOW:HIGH there are intervals that hold at all times.\n");
  }
  for (const std::string& text : found.warnings) fmt::print("warning: {}\n", text);
  for (const PolicyLine& line : found.policies) {
    for (const std::string& text : line.evaluation.warnings) {
      fmt::print("warning: {}: {}\n", line.name, text);
    }
  }
}

}  // namespace rein::app
