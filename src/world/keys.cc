#include "world/keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace rein {
namespace {

constexpr double kMostBudget = 1e15;

}  // namespace

std::vector<CostShape> cost_shapes(int m, bool positive) {
  const Range range = positive ? Range{0.0, 1.0} : Range{-1.0, 1.0};
  std::vector<CostShape> costs;
  for (int i = 1; i <= m; ++i) {
    costs.push_back({.name = m == 1 ? "cost" : fmt::format("cost_{}", i), .range = range});
  }
  return costs;
}

std::vector<double> read_budgets(SpecReader& read, int m, std::int64_t rounds,
                                 std::optional<double> usual_rate) {
  const Limits limits{.low = 0.0, .high = kMostBudget};
  std::vector<double> totals = read.numbers("budget", limits);
  std::vector<double> rates = read.numbers("rate", limits);
  if (read.has("budget") && read.has("rate")) {
    read.refuse("both \"budget\" and \"rate\" are given; accepted: one of them");
  }
  if (totals.empty()) {
    if (rates.empty() && usual_rate) rates.push_back(*usual_rate);
    totals = rates;
    for (double& total : totals) total *= static_cast<double>(rounds);
  }
  const std::size_t wanted = static_cast<std::size_t>(m);
  if (totals.size() == 1 && m > 1) totals.assign(wanted, totals[0]);
  if (!totals.empty() && totals.size() != wanted) {
    read.refuse(fmt::format("key \"{}\" has {} numbers; accepted: one for all, or one per cost ({})",
                            read.has("budget") ? "budget" : "rate", totals.size(), m));
  }
  return totals;
}

double read_safe(SpecReader& read, const std::vector<double>& budgets, std::int64_t rounds) {
  double usual = 0.05;
  for (double budget : budgets) {
    usual = std::min(usual, 0.5 * budget / static_cast<double>(rounds));
  }
  return read.number("safe", usual, {.low = 0.0, .high = 1.0});
}

void only_with(SpecReader& read, std::string_view key, bool applies, std::string_view where) {
  if (!applies && read.has(key)) read.refuse(fmt::format("key \"{}\" is for {}", key, where));
}

void margin_or_safe(SpecReader& read, bool positive) {
  only_with(read, "margin", !positive, "costs=signed; safe= is for costs=positive");
  only_with(read, "safe", positive, "costs=positive; margin= is for costs=signed");
}

}  // namespace rein
