#include "offpolicy/cheapest_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/math.h"
#include "base/quantiles.h"
#include "offpolicy/errors.h"
#include "offpolicy/rows.h"

namespace rein {
namespace {

// A smaller share of other actions is rounding.
constexpr double kWholeShare = 1.0 - 1e-9;

// The reward of a point, less that of the least spend: value, and half of its interval.
CheapestChoice::Gain gain_of(const CurvePoint& point, const CurvePoint& least, double spend,
                             double variance) {
  const double value = point.values[0].value - least.values[0].value;
  const double reach = kNormal95 * std::sqrt(std::max(variance, 0.0));
  return {.spend = spend, .value = value, .low = value - reach, .high = value + reach};
}

bool has_error(const CurvePoint& point) {
  return point.error_rows >= kFewestVarianceRows && !std::isnan(point.values[0].error);
}

// With four digits, and without an exponent where people would not write one.
std::string amount(double x) {
  if (std::abs(x) < 1000.0 || std::abs(x) >= 1e15) return fmt::format("{:.4g}", x);
  return fmt::format("{:.0f}", std::stod(fmt::format("{:.3e}", x)));
}

std::string between(double value, double low, double high) {
  if (std::isnan(low)) return fmt::format("{} (no interval)", amount(value));
  return fmt::format("{} [{}, {}]", amount(value), amount(low), amount(high));
}

std::string percents(const RewardShare& share) {
  if (std::isnan(share.low)) return fmt::format("{:.1f} % (no interval)", 100.0 * share.share);
  return fmt::format("{:.1f} % [{:.1f}, {:.1f}]", 100.0 * share.share, 100.0 * share.low,
                     100.0 * share.high);
}

// What a free action spends is 0 but for the error of the regressions.
double said_spend(const CheapestChoice& least) {
  constexpr double kNothing = 1e-4;  // of the spend of the last point
  return std::abs(least.spend) < kNothing * std::abs(least.last.spend) ? 0.0 : least.spend;
}

std::string named(const Whatif& curve) {
  const CheapestChoice& least = *curve.cheapest;
  const std::string who = least.action < 0 ? "The cheapest choice of every row"
                                           : curve.actions[at(least.action)] + " for everybody";
  return fmt::format("{}, {} {}", who, curve.heads[at(curve.cost)], amount(said_spend(least)));
}

std::string totals_in_words(const Whatif& curve) {
  const CheapestChoice& least = *curve.cheapest;
  const std::string& cost = curve.heads[at(curve.cost)];
  const double n = curve.total;
  const auto more = [&](const char* what, const CheapestChoice::Gain& gain) {
    return fmt::format("{} {}, {}, earns {} more", what, cost, amount(n * gain.spend),
                       between(n * gain.value, n * gain.low, n * gain.high));
  };
  return fmt::format("In {} rows: {} for {} {}; {}; {}.", amount(n),
                     between(n * least.reward.value, n * least.reward.low, n * least.reward.high), cost,
                     amount(n * said_spend(least)), more("half of the", least.half), more("all of the", least.last));
}

}  // namespace

std::optional<CheapestChoice> cheapest_choice(const Whatif& curve, std::span<const CurvePoint> marks,
                                              const RewardCovariance& covariance) {
  const CurvePoint& last = curve.points.back();
  const CurvePoint& half = marks[2];
  const CurvePoint& least = marks[3];
  if (!last.possible || !least.possible) return std::nullopt;
  const double spent = last.values[at(curve.cost)].value, floor = least.values[at(curve.cost)].value;
  if (!(spent > floor)) return std::nullopt;
  const bool sure = has_error(last) && has_error(least);
  CheapestChoice out{.spend = floor, .reward = least.values[0]};
  for (std::size_t a = 0; a < least.shares.size(); ++a) {
    if (least.shares[a] >= kWholeShare) out.action = static_cast<int>(a);
  }
  const auto variance = [&](std::size_t i) {
    return covariance.of(i, i) + covariance.of(2, 2) - 2.0 * covariance.of(i, 2);
  };
  out.last = gain_of(last, least, spent, sure ? variance(0) : kNan);
  const double whole = last.values[0].value;
  out.share = {.budget = floor, .of = spent, .share = least.values[0].value / whole, .low = kNan, .high = kNan};
  if (sure && whole > 3.0 * last.values[0].error) {
    const double ratio = out.share.share;
    const double spread = covariance.of(2, 2) + ratio * ratio * covariance.of(0, 0) - 2.0 * ratio * covariance.of(0, 2);
    const double reach = kNormal95 * std::sqrt(std::max(spread, 0.0)) / whole;
    out.share.low = ratio - reach;
    out.share.high = ratio + reach;
  }
  out.half = {.spend = half.budget, .value = kNan, .low = kNan, .high = kNan};
  if (!half.possible) return out;
  const bool known = sure && has_error(half);
  out.half = gain_of(half, least, half.budget, known ? variance(1) : kNan);
  const double deviation = known ? std::sqrt(std::max(variance(0), 0.0)) : 0.0;
  if (!(out.last.value > 3.0 * deviation)) return out;
  const double ratio = out.half.value / out.last.value;
  RewardShare share{.budget = half.budget, .of = spent, .share = ratio, .low = kNan, .high = kNan};
  if (known) {
    // Of (half - least) - ratio (last - least).
    const double weights[] = {-ratio, 1.0, ratio - 1.0};
    double spread = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) spread += weights[i] * weights[j] * covariance.of(i, j);
    }
    const double reach = kNormal95 * std::sqrt(std::max(spread, 0.0)) / out.last.value;
    share.low = ratio - reach;
    share.high = ratio + reach;
  }
  out.half_of_gain = share;
  return out;
}

void add_cheapest(Whatif& curve) {
  const CheapestChoice& least = *curve.cheapest;
  std::string text = fmt::format("{} per round, has {} of the reward already.", named(curve), percents(least.share));
  if (least.half_of_gain) {
    text += fmt::format(" Of what more money adds to that, half of the money keeps {}.", percents(*least.half_of_gain));
  }
  curve.verdict.push_back(std::move(text));
  if (curve.total > 0.0) curve.verdict.push_back(totals_in_words(curve));
}

}  // namespace rein
