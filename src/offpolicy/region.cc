// The rewards that a 95 % ellipse allows under limits.
//
// The ellipse is { v : (v - value)' covariance^-1 (v - value) <= radius }. The largest reward under
// the limits has some set S of limits that hold with equality. Given S the reward is normal with the
// conditional mean and variance, and what S costs is taken from the radius. With at most
// kMaxOfflineLimits limits every S is tried.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "offpolicy/dense.h"
#include "offpolicy/rows.h"
#include "rein/offpolicy.h"

namespace rein {
namespace {

// 95 % quantiles of chi squared with 1, 2, ... degrees of freedom.
constexpr std::array<double, kMaxOfflineLimits + 1> kChiSquare95 = {
    3.841458820694124,  5.991464547107979,  7.814727903251179,
    9.487729036781154,  11.070497693516351, 12.591587243743977,
    14.067140449340169, 15.507313055865453, 16.918977604620448};

struct Search {
  const PolicyValue& value;
  std::span<const HeadLimit> limits;
  double radius;
  RewardRegion found;

  std::size_t heads() const { return value.value.size(); }
  double covariance(int g, int h) const {
    const double c = value.covariance[at(g) * heads() + at(h)];
    // A head without variance gets a tiny one, so that it can be conditioned on.
    return g == h ? c + 1e-24 * (1.0 + value.value[at(g)] * value.value[at(g)]) : c;
  }

  // The value of `head` at the point where the heads of `given` have the values `off` + estimate.
  double conditional(int head, const std::vector<int>& given,
                     const std::vector<double>& solved) const {
    double out = value.value[at(head)];
    for (std::size_t i = 0; i < given.size(); ++i) out += covariance(head, given[i]) * solved[i];
    return out;
  }

  bool keeps_limits(const std::vector<int>& given, const std::vector<double>& solved) const {
    return std::all_of(limits.begin(), limits.end(), [&](const HeadLimit& limit) {
      const double over = conditional(limit.head, given, solved) - limit.amount;
      const double slack =
          1e-9 * (std::abs(limit.amount) + std::sqrt(covariance(limit.head, limit.head)));
      return (limit.at_least ? -over : over) <= slack;
    });
  }

  // solved = covariance(given, given)^-1 off; returns off' solved.
  double solve(const std::vector<int>& given, const std::vector<double>& off,
               std::vector<double>& solved) const {
    const int n = static_cast<int>(given.size());
    std::vector<double> matrix(at(n) * at(n));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        matrix[at(i) * at(n) + at(j)] = covariance(given[at(i)], given[at(j)]);
    }
    semi_cholesky(matrix, n);
    solved = off;
    semi_solve(matrix, n, solved);
    double out = 0.0;
    for (std::size_t i = 0; i < off.size(); ++i) out += off[i] * solved[i];
    return out;
  }

  void try_set(unsigned set) {
    std::vector<int> given;
    std::vector<double> off;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      if ((set >> i & 1U) == 0) continue;
      given.push_back(limits[i].head);
      off.push_back(limits[i].amount - value.value[at(limits[i].head)]);
    }
    std::vector<double> solved;
    const double used = solve(given, off, solved);
    if (used > radius) return;
    const double mean = conditional(0, given, solved);
    std::vector<double> with_reward;
    for (const int head : given) with_reward.push_back(covariance(0, head));
    std::vector<double> regression;
    const double explained = solve(given, with_reward, regression);
    const double spread = std::sqrt(std::max(covariance(0, 0) - explained, 0.0) * (radius - used));
    given.push_back(0);
    for (const double side : {-1.0, 1.0}) {
      const double reward = mean + side * spread;
      off.push_back(reward - value.value[0]);
      solve(given, off, solved);
      if (keeps_limits(given, solved)) {
        found.low = found.possible ? std::min(found.low, reward) : reward;
        found.high = found.possible ? std::max(found.high, reward) : reward;
        found.possible = true;
      }
      off.pop_back();
    }
  }
};

}  // namespace

Result<RewardRegion> reward_region(const PolicyValue& value, std::span<const HeadLimit> limits) {
  if (limits.size() > at(kMaxOfflineLimits)) {
    return Error{fmt::format("region: found {} limits; accepted: up to {}", limits.size(),
                             kMaxOfflineLimits)};
  }
  std::vector<bool> limited(value.value.size(), false);
  for (const HeadLimit& limit : limits) {
    if (limit.head < 1 || at(limit.head) >= limited.size() || limited[at(limit.head)] ||
        !std::isfinite(limit.amount)) {
      return Error{
          fmt::format("region: found a limit of {} on head {}; accepted: a finite limit, one "
                      "per head from 1 to {}",
                      limit.amount, limit.head, static_cast<int>(limited.size()) - 1)};
    }
    limited[at(limit.head)] = true;
  }
  Search search{value, limits, kChiSquare95[limits.size()], {}};
  for (unsigned set = 0; set < 1U << limits.size(); ++set) search.try_set(set);
  RewardRegion out = search.found;
  if (!out.possible) out.low = out.high = kNan;
  out.certain = out.possible;
  for (const HeadLimit& limit : limits) {
    const double reach = std::sqrt(search.radius * search.covariance(limit.head, limit.head));
    const double over = value.value[at(limit.head)] - limit.amount;
    if ((limit.at_least ? -over : over) + reach > 0.0) out.certain = false;
  }
  return out;
}

}  // namespace rein
