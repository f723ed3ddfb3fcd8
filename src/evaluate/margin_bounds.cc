#include "evaluate/margin_bounds.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace rein {
namespace {

constexpr int kLargestPower = 400;   // the least h is 2^-400
constexpr int kMostIterations = 2000;
constexpr double kRoundedUp = 1.0 + 1e-9;  // q is rounded up, so that it fits
constexpr double kEvents = 3.0;  // the chance is shared by N from any start, M and N at the end

double log2_of(double x) { return log(x) / log(2.0); }

// The bounds for one h = 2^-power.
class AtOneStep {
 public:
  AtOneStep(const MarginProblem& problem, int power)
      : p_(problem),
        inverse_(std::ldexp(1.0, power)),
        any_start_(log(kEvents * problem.rounds / problem.delta) + extra(power)) {}

  // The least q that fits, by iteration from below: the right side grows with q. Nothing if D would
  // reach 0 first, or if q does not settle.
  std::optional<double> least() const {
    double q = 0.0;
    for (int i = 0; i < kMostIterations; ++i) {
      if (!(slope(q) > 0.0)) return {};
      const double needed = std::sqrt(right_side(q));
      if (needed <= q) return q;
      q = needed * kRoundedUp;
    }
    return {};
  }

  MarginBounds bounds(double q) const {
    const double root = root_of_s(q);
    const double regret =
        p_.costs * p_.rounds / p_.v + p_.weight * root + last_chance(squares(q, root)) / p_.v;
    return {.regret = regret, .largest = q, .average = std::min(q, total(q, root) / p_.rounds)};
  }

 private:
  // A step that must not depend on the run has its share 1 / (j (j + 1)) of the chance.
  double extra(int power) const { return p_.is_measured ? log(power * (power + 1.0)) : 0.0; }
  double once(int power) const { return log(kEvents / p_.delta) + extra(power); }

  double slope(double q) const { return 2.0 * (p_.margin - p_.costs * q / inverse_); }  // D

  // Step 4, summed: sum |Q+| <= total, where sqrt(S) <= root.
  double total(double q, double root) const {
    return (p_.rounds * (p_.costs + 2.0 * p_.v) + p_.v * p_.weight * root + any_start_ * inverse_) /
           slope(q);
  }
  // Step 5: the chance of M, at a step of at most h / q.
  double chance_of_m(double q) const {
    if (!p_.is_measured) return once(0) * q * inverse_;
    const double steps = std::max(2.0, q * inverse_);
    const int power = static_cast<int>(std::ceil(log2_of(steps)));
    return once(power) * std::ldexp(1.0, power);
  }
  // Step 5: sum |Q+|^2 <= constant + per_root sqrt(S).
  double constant(double q) const {
    const double cubes = 2.0 / 3.0 * p_.costs * std::sqrt(p_.costs) * p_.rounds;
    return (2.0 * (p_.costs + p_.v) * total(q, 0.0) + cubes + chance_of_m(q)) / slope(q);
  }
  double per_root(double q) const {
    return p_.v * p_.weight * (2.0 * (p_.costs + p_.v) / slope(q) + q) / slope(q);
  }
  double squares(double q, double root) const {
    return std::min(constant(q) + per_root(q) * root, p_.rounds * q * q);
  }
  // Step 6, sigma: S <= T + (4 / V^2) squares is a quadratic inequality in sqrt(S), and no price
  // passes 2q / V.
  double root_of_s(double q) const {
    const double sigma_most = std::sqrt(p_.rounds) * std::max(1.0, 2.0 * q / p_.v);
    const double scale = 4.0 / (p_.v * p_.v);
    const double half = 0.5 * scale * per_root(q);
    return std::min(sigma_most, half + std::sqrt(half * half + p_.rounds + scale * constant(q)));
  }
  double right_side(double q) const {
    const double drift = p_.costs + 2.0 * p_.v;
    const double theta = drift / slope(q);
    return std::max(theta * theta, drift) + p_.v * p_.weight * root_of_s(q) + any_start_ * inverse_;
  }
  // N at the end, from N <= 2 m h (sum of squares) + L / h at the best h, of powers of two if it
  // may not depend on the run.
  double last_chance(double squares) const {
    if (!p_.is_measured) return 2.0 * std::sqrt(2.0 * p_.costs * once(0) * squares);
    const int power = std::max(1, static_cast<int>(std::lround(0.5 * log2_of(squares))));
    const double near = std::ldexp(1.0, power);
    return std::sqrt(2.0 * p_.costs * once(power)) * (squares / near + near);
  }

  const MarginProblem& p_;
  double inverse_;    // 1 / h
  double any_start_;  // L'
};

}  // namespace

std::optional<MarginBounds> margin_bounds(const MarginProblem& problem) {
  std::optional<MarginBounds> best;
  for (int power = 1; power <= kLargestPower; ++power) {
    const AtOneStep step(problem, power);
    const std::optional<double> q = step.least();
    if (!q) continue;
    if (best && *q >= best->largest) break;  // smaller steps only add chance
    best = step.bounds(*q);
  }
  return best;
}

}  // namespace rein
