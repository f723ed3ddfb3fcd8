#include "policy/common.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/within.h"
#include "explore/distribution.h"

namespace rein {

// No price within the limits of pricer.h is as large as exp of this.
constexpr double kMaxLogScale = 500.0;

namespace {

// One pass without branches; four sums, so that no addition waits for the one before.
bool sums_to_one(std::span<const double> p) {
  double sum[4] = {}, size[4] = {};
  const auto add = [&](std::size_t i, double x) {
    sum[i] += x;
    size[i] += std::abs(x);
  };
  std::size_t a = 0;
  for (; a + 4 <= p.size(); a += 4) {
    for (std::size_t i = 0; i < 4; ++i) add(i, p[a + i]);
  }
  for (std::size_t i = 0; a + i < p.size(); ++i) add(i, p[a + i]);
  const auto near_one = [](const double* s) {
    return std::abs((s[0] + s[1]) + (s[2] + s[3]) - 1.0) <= 1e-9;  // false for NaN
  };
  return near_one(sum) && near_one(size);  // the second: none is below 0
}

}  // namespace

Result<> check_sound(const Decision& decision) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  bool finite = all_finite(decision.scores()) && all_finite(decision.estimates.width()) &&
                all_finite(decision.prices.span()) && decision.gamma >= 0.0 &&
                decision.gamma <= kLargest && decision.log_scale >= 0.0 &&
                decision.log_scale <= kMaxLogScale;
  for (int h = 0; h < decision.estimates.heads(); ++h) {
    finite = finite && all_finite(decision.estimates.mean(h));
  }
  for (int h = 1; decision.estimates.apart() && h < decision.estimates.heads(); ++h) {
    finite = finite && all_finite(decision.estimates.width(h));
  }
  if (finite && sums_to_one(decision.probabilities())) return {};
  return Error{
      "decision: an estimate, a score or a price is not a finite number, or the probabilities do "
      "not sum to 1; accepted: smaller features, or settings nearer to their defaults"};
}

Result<> check_decided(const Round& round, const Decision& decision) {
  if (decision.action < 0 || decision.action >= round.actions) {
    return Error{fmt::format("decision: found action {}; accepted: 0 to {}", decision.action,
                             round.actions - 1)};
  }
  if (!(decision.log_scale >= 0.0 && decision.log_scale <= kMaxLogScale)) {
    return Error{fmt::format("decision: found log_scale {}; accepted: what decide() wrote, 0 to {}",
                             decision.log_scale, kMaxLogScale)};
  }
  if (!(decision.probability > 0.0 && decision.probability <= 1.0)) {
    return Error{
        fmt::format("decision: found probability {}; accepted: what decide() wrote, above 0 to 1",
                    decision.probability)};
  }
  return {};
}

int draw(std::span<const double> p, double u) {
  int last = 0;
  for (int a = 0; a < static_cast<int>(p.size()); ++a) {
    if (p[a] <= 0.0) continue;
    last = a;
    u -= p[a];
    if (u < 0.0) return a;
  }
  return last;
}

int best_of(std::span<const double> scores) { return static_cast<int>(first_best(scores)); }

Result<> check_reserved(const Shape& shape, std::span<const double> units,
                        std::span<const double> reserved) {
  if (reserved.empty()) return {};
  if (reserved.size() != shape.costs.size()) {
    return Error{fmt::format("reserved: found {} numbers; accepted: none, or one per cost ({})",
                             reserved.size(), shape.costs.size())};
  }
  for (std::size_t i = 0; i < reserved.size(); ++i) {
    if (std::abs(reserved[i] / units[i + 1]) <= kMaxTotal) continue;  // false for NaN
    return Error{fmt::format("reserved: cost \"{}\" has {}; accepted: {} to {}",
                             shape.costs[i].name, reserved[i], -kMaxTotal * units[i + 1],
                             kMaxTotal * units[i + 1])};
  }
  return {};
}

std::string text_of(const Shape& shape) {
  std::string text =
      fmt::format("{} actions, context {}, features {}, {} rounds, reward [{}, {}]", shape.actions,
                  shape.context, shape.features, shape.rounds, shape.reward.low, shape.reward.high);
  for (const CostShape& cost : shape.costs) {
    text += fmt::format(", cost {} [{}, {}]", cost.name, cost.range.low, cost.range.high);
  }
  for (double budget : shape.budgets) text += fmt::format(", budget {}", budget);
  if (shape.paced) text += ", paced";
  return text;
}

}  // namespace rein
