#include "whatif_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "table.h"

namespace rein::app {
namespace {

std::string band(const CurveValue& value) {
  if (std::isnan(value.band_low)) return fmt::format("{:.4g} [no band]", value.value);
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", value.value, value.band_low, value.band_high);
}

void print_curve(const Whatif& curve, const std::string& note) {
  const std::size_t cost = static_cast<std::size_t>(curve.cost);
  std::vector<std::string> header{fmt::format("budget {}", curve.heads[cost]),
                                  "reward [joint band]", "price"};
  for (std::size_t h = 1; h < curve.heads.size(); ++h) header.push_back(curve.heads[h]);
  header.emplace_back("fixed mix");
  header.emplace_back("effective size");
  TextTable table(header);
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    const CurvePoint& point = curve.points[k];
    std::vector<std::string> row{fmt::format("{:.4g}", point.budget)};
    if (!point.possible) {
      row.emplace_back("cannot be met");
      row.resize(header.size());
      table.add(row);
      continue;
    }
    row.push_back(band(point.values[0]));
    row.push_back(brief(point.price));
    for (std::size_t h = 1; h < curve.heads.size(); ++h) {
      row.push_back(curve.limits.empty() ? brief(point.values[h].value) : band(point.values[h]));
    }
    row.push_back(curve.fixed[k].possible ? brief(curve.fixed[k].values[0].value) : "");
    row.push_back(brief(point.effective_size));
    table.add(row);
  }
  fmt::print("{}\n", table.str());
  for (const std::string& line : curve.verdict) fmt::print("{}\n", line);
  fmt::print("{} rows{}{}.\n{}", curve.rows,
             curve.units > 0 ? fmt::format(" of {} unit{}", curve.units, curve.units == 1 ? "" : "s") : "",
             curve.adaptive
                 ? "; the log looks made by a policy that learned: each block is predicted from "
                   "earlier rows"
                 : "",
             note);
  fmt::print(
      "Bands hold at all budgets together in 95 % of logs, if {} are independent, and if the log\n"
      "could play every action in every context. No log can show that.\n",
      curve.units > 0 ? "units" : "rows");
  for (const std::string& line : curve.warnings) fmt::print("warning: {}\n", line);
}

// What the points would earn and spend if propensities are wrong.
void print_sensitivity(const Whatif& curve) {
  if (!(curve.lambda > 0.0)) return;
  std::vector<std::string> header{
      fmt::format("budget {}", curve.heads[static_cast<std::size_t>(curve.cost)])};
  for (const std::string& head : curve.heads) header.push_back(head);
  TextTable table(header);
  for (const CurvePoint& point : curve.points) {
    if (point.sensitivity.empty()) continue;
    std::vector<std::string> row{fmt::format("{:.4g}", point.budget)};
    for (const SensitivityBand& band : point.sensitivity) {
      row.push_back(fmt::format("{:.4g} [{:.4g}, {:.4g}]", band.value, band.low, band.high));
    }
    table.add(row);
  }
  fmt::print("\nIf the odds of propensities are wrong by a factor of up to {:.4g}\n{}\n",
             curve.lambda, table.str());
}

// Rewards over two budgets: one row per budget of the second cost.
void print_grid(const WhatifGrid& grid) {
  const std::vector<std::string>& heads = grid.rows[0].heads;
  const std::string& cost = heads[static_cast<std::size_t>(grid.cost)];
  const std::string& other = heads[static_cast<std::size_t>(grid.other)];
  std::vector<std::string> header{fmt::format("{} \\ {}", other, cost)};
  for (const double budget : grid.budgets) header.push_back(fmt::format("{:.4g}", budget));
  TextTable table(header);
  double widest = 0.0;
  int unsure = 0;
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    std::vector<std::string> row{fmt::format("{:.4g}", grid.limits[i])};
    for (const CurvePoint& point : grid.rows[i].points) {
      row.push_back(point.possible ? fmt::format("{:.4g}", point.values[0].value) : "-");
      if (!point.possible) continue;
      const CurveValue& reward = point.values[0];
      if (std::isnan(reward.low)) {
        ++unsure;
      } else {
        widest = std::fmax(widest, (reward.high - reward.low) / 2.0);
      }
    }
    table.add(row);
  }
  fmt::print("\nReward per round at both budgets (-: cannot be met)\n{}\n", table.str());
  if (widest > 0.0) fmt::print("Intervals of single cells, 95 %: at most -+ {:.2g}.\n", widest);
  if (unsure > 0) {
    fmt::print("warning: {} cells have no interval; --json has the reasons by row\n", unsure);
  }
}

std::string interval_of(const SegmentValue& value) {
  if (std::isnan(value.low)) return brief(value.value);
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", value.value, value.low, value.high);
}

// "mens 86 %, none 14 %": the actions with a share that is worth a word.
std::string gets_of(const Segments& found, const Segment& segment) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t a = 0; a < segment.actions.size(); ++a) order.emplace_back(-segment.actions[a], a);
  std::ranges::sort(order);
  std::string out;
  for (std::size_t k = 0; k < order.size() && k < 3; ++k) {
    const double share = 100.0 * -order[k].first;
    if (k > 0 && share < 0.5) break;
    out += fmt::format("{}{} {:.0f} %", k == 0 ? "" : ", ", found.actions[order[k].second], share);
  }
  return out;
}

// Whom the policy serves. Sums are over `total` rows, if they were asked for.
void print_segments(const Segments& found, double total) {
  const auto cost = static_cast<std::size_t>(found.cost);
  const std::string& least = found.actions[static_cast<std::size_t>(found.cheapest)];
  fmt::print("\nWhom, at {} {:.4g} per round\n", found.heads[cost], found.budget);
  std::vector<std::string> header{"who", "share", "gets", fmt::format("reward more than {}", least),
                                  found.heads[cost]};
  if (total > 0.0) header.push_back(fmt::format("more in {:.0f} rows", total));
  TextTable table(header);
  const auto add = [&](const Segment& segment) {
    std::vector<std::string> row{segment.words, fmt::format("{:.1f} %", 100.0 * segment.share),
                                 gets_of(found, segment), interval_of(segment.gain[0]),
                                 interval_of(segment.values[cost])};
    if (total > 0.0) row.push_back(brief(segment.gain[0].value * segment.share * total));
    table.add(row);
  };
  for (const Segment& segment : found.segments) add(segment);
  add(found.all);
  fmt::print("{}\n", table.str());
  fmt::print("Regressions, price and groups are from {} rows, all numbers from {} others. Per row; each interval\n"
             "holds alone, in 95 % of logs.\n",
             found.grown, found.valued);
  for (const std::string& line : found.warnings) fmt::print("warning: {}\n", line);
}

}  // namespace

void print_whatif(const WhatifReport& report, const std::string& note) {
  for (const Whatif& curve : report.curves) {
    print_curve(curve, note);
    print_sensitivity(curve);
  }
  if (report.grid) print_grid(*report.grid);
  if (report.segments) print_segments(*report.segments, report.curves[0].total);
}

}  // namespace rein::app
