#include "offpolicy/whatif_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "offpolicy/scores.h"

namespace rein {
namespace {

std::string interval(const CurveValue& value) {
  if (std::isnan(value.low)) return fmt::format("{:.4g} (no interval)", value.value);
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", value.value, value.low, value.high);
}

// "At half the budget 94 % of the reward [91, 96]", with the interval of the ratio.
void add_half(const Whatif& curve, std::span<const double> covariance,
              std::vector<std::string>& out) {
  const std::size_t n = curve.points.size();
  std::size_t full = n;
  for (std::size_t k = 0; k < n; ++k) {
    if (curve.points[k].possible) full = k;
  }
  if (full == n) return;
  const std::size_t cost = static_cast<std::size_t>(curve.cost);
  const double spent = std::min(curve.points[full].budget, curve.points[full].values[cost].value);
  std::size_t half = n;
  for (std::size_t k = 0; k < full; ++k) {
    const double off = std::abs(curve.points[k].budget - spent / 2.0);
    if (curve.points[k].possible &&
        (half == n || off < std::abs(curve.points[half].budget - spent / 2.0))) {
      half = k;
    }
  }
  const CurveValue& whole = curve.points[full].values[0];
  if (half == n || !(spent > 0.0) || !(whole.value > 3.0 * whole.error)) return;
  const double ratio = curve.points[half].values[0].value / whole.value;
  const double variance = covariance[half * n + half] +
                          ratio * ratio * covariance[full * n + full] -
                          2.0 * ratio * covariance[half * n + full];
  const double reach = kNormal95 * std::sqrt(std::max(variance, 0.0)) / whole.value;
  const std::string& name = curve.heads[cost];
  out.emplace_back(
      fmt::format("At {} {:.4g} per round, {:.0f} % of the spend of {:.4g}, priced policies earn "
                  "{:.1f} % of its reward [{:.1f}, {:.1f}].",
                  name, curve.points[half].budget, 100.0 * curve.points[half].budget / spent, spent,
                  100.0 * ratio, 100.0 * (ratio - reach), 100.0 * (ratio + reach)));
}

}  // namespace

std::vector<std::string> verdict_of(const Whatif& curve, std::span<const double> covariance,
                                    const CurvePoint& at_logged) {
  std::vector<std::string> out;
  add_half(curve, covariance, out);
  const std::size_t cost = static_cast<std::size_t>(curve.cost);
  const std::string& name = curve.heads[cost];
  const std::string logged = fmt::format("The log earned {} per round at {} {:.4g}.",
                                         interval(curve.logged[0]), name, curve.logged[cost].value);
  if (at_logged.possible) {
    out.emplace_back(fmt::format("{} {} {} priced policies earn {}.", logged,
                              at_logged.binding ? "At the same" : "With less", name,
                              interval(at_logged.values[0])));
  } else {
    out.emplace_back(logged);
  }
  for (const CurvePoint& point : curve.points) {
    if (point.possible) continue;
    out.emplace_back(
        fmt::format("Budgets of {} per round below {:.4g} cannot be met: no priced policy "
                    "spends less{}.",
                    name, curve.least, curve.limits.empty() ? "" : " and keeps the limit"));
    break;
  }
  return out;
}

std::vector<std::string> warnings_of(const Whatif& curve, std::span<const int> unused) {
  std::vector<std::string> out;
  if (curve.estimated) {
    out.emplace_back(
        "the log has no propensities. They are estimated from the context, and the bands hold only "
        "if "
        "the logging policy saw nothing else. sensitivity_band shows what wrong propensities do");
  }
  if (curve.missing > 0) {
    out.emplace_back(
        fmt::format("{} rows lack an outcome and are left out. That is right only if what is "
                    "missing does not depend on the action",
                    curve.missing));
  }
  for (const int action : unused) {
    out.emplace_back(
        fmt::format("action {} was played fewer than 20 times; no policy of the curve plays it",
                    curve.actions[static_cast<std::size_t>(action)]));
  }
  std::string small;
  for (const CurvePoint& point : curve.points) {
    if (point.possible && point.effective_size < kSmallestEffectiveSize) {
      small += fmt::format("{}{:.4g} ({:.0f})", small.empty() ? "" : ", ", point.budget,
                           point.effective_size);
    }
  }
  if (!small.empty()) {
    out.emplace_back(
        fmt::format("no band at these budgets, because their effective sample size is "
                    "under {}: {}",
                    kSmallestEffectiveSize, small));
  }
  return out;
}

}  // namespace rein
