// Quadratic price, V_t = v sqrt(K t U_t):
//
//     P^2    = 8 A_1 + 4 w A_h + 4 m A_0^2 + 4 w A_0 P                 P >= sqrt(sum |price_t|^2)
//     Regret <= w sqrt T + w P + m A_0
//     CCV    <= sqrt(V_T (2T + w sqrt T + w P + m A_0))
//
// with A_0, A_h, A_1 the sums over rounds of 1 / V_t, sqrt t / V_t and t / V_t, and
// w = (m + 1) sqrt K (s X + sqrt(U_T) / s), X the sum over blocks of what the errors grow by, each
// over sqrt U of the block. Exponential price: the sum of what each block may lose.
#include "evaluate/anytime_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"

namespace rein {
namespace {

// The sums of the page, over the rounds 1 to T.
struct Sums {
  Sums(const Terms& terms, const BoundOptions& options) {
    const std::int64_t last = terms.rounds;
    const double v = terms.v_scale * std::sqrt(static_cast<double>(terms.actions));
    double before = 0.0;
    for (int j = 0; j < Terms::blocks(last); ++j) {
      const std::int64_t begin = std::int64_t{1} << j, end = std::min(2 * begin - 1, last);
      const Terms here = terms.after(end);
      const double root = std::sqrt(here.u);
      const double errors = std::max(before, error_bound(here, options));
      errors_over_root += (errors - before) / root;
      before = errors;
      const auto a = static_cast<double>(begin), b = static_cast<double>(end);
      inverse += 2.0 * (std::sqrt(b) - std::sqrt(a - 1.0)) / (v * root);
      halves += (b - a + 1.0) / (v * root);
      roots += 2.0 / 3.0 * ((b + 1.0) * std::sqrt(b + 1.0) - a * std::sqrt(a)) / (v * root);
    }
  }
  double errors_over_root = 0.0;  // X
  double inverse = 0.0;           // A_0
  double halves = 0.0;            // A_h
  double roots = 0.0;             // A_1
};

// The largest x with x^2 <= slope x + sum.
double largest_root(double slope, double sum) {
  return slope / 2.0 + std::sqrt(slope * slope / 4.0 + sum);
}

// What the chance in prices may add. Where a number was measured in the run, the numbers that a proof
// may choose are powers of two, the j-th with its share 1 / (j (j + 1)) of the chance.
class Chance {
 public:
  Chance(double delta, bool is_measured)
      : sure_(delta > 0.0 ? log(8.0 / delta) : 0.0), measured_(is_measured) {}
  double sure(int j) const { return measured_ ? sure_ + log(j * (j + 1.0)) : sure_; }

  // P, the largest with P^2 <= sum + slope P + 4 A_0 (most of N').
  double prices(double sum, double slope, double m, double inverse) const {
    if (sure_ == 0.0) return largest_root(slope, sum);
    double least = std::numeric_limits<double>::infinity();
    int j = 1;
    for (double k = 0.5; k > 1e-9; k /= 2.0, ++j) {
      const double chance = 8.0 * m * inverse * inverse * sure(j) / k;
      least = std::min(least, largest_root(slope / (1.0 - k), (sum + chance) / (1.0 - k)));
    }
    return least;
  }
  // The most of N'_T.
  double drift(double p, double m) const {
    if (sure_ == 0.0) return 0.0;
    if (!measured_) return std::sqrt(2.0 * m * sure_) * p;
    const int j = std::max(1, static_cast<int>(std::lround(log(std::max(p, 1.0)) / log(2.0))));
    const double near = std::ldexp(1.0, j);
    return std::sqrt(0.5 * m * sure(j)) * (p * p / near + near);
  }

 private:
  double sure_;
  bool measured_;
};

Bounds quadratic(const Terms& terms, const BoundOptions& options) {
  const double t = static_cast<double>(terms.rounds), m = terms.costs;
  const double s = terms.gamma_scale, delta = options.delta;
  const Sums sums(terms, options);
  const double w = (m + 1.0) * std::sqrt(static_cast<double>(terms.actions)) *
                   (s * sums.errors_over_root + std::sqrt(terms.u) / s);
  const double drawn = delta > 0.0 ? std::sqrt(2.0 * t * log(8.0 / delta)) : 0.0;
  Bounds found;
  if (terms.costs == 0) {
    found.regret = w * std::sqrt(t) + drawn;
    return found;
  }
  // Squares of g lie below 1, those of g - b below 4.
  const double squares = (terms.setting == Setting::kPacing ? 4.0 : 1.0) * m * sums.inverse;
  const Chance chance(delta, options.misspecified > 0.0);
  const double p = chance.prices(
      8.0 * sums.roots + 4.0 * w * sums.halves + 4.0 * squares * sums.inverse,
      4.0 * w * sums.inverse, m, sums.inverse);
  const double rest = w * std::sqrt(t) + w * p + squares + chance.drift(p, m);
  found.regret = rest + drawn;
  const double v = terms.v_scale * terms.root();
  const double squared = v * (2.0 * t + rest);
  found.ccv = Costs(terms.costs, std::sqrt(squared));
  if (terms.setting == Setting::kSlater && options.margin > 0.0) {
    const double average = squared / (2.0 * options.margin * t);
    found.ccv_average = Costs(terms.costs, average);
    found.ccv_share =
        Costs(terms.costs, std::min(average / (1.0 - options.share), std::sqrt(squared)));
  }
  if (terms.setting == Setting::kPacing) {
    for (int i = 0; i < terms.costs; ++i) found.ccv[i] += terms.budgets[i];
  }
  return found;
}

// Every block is a run of its own, with its share of the chance. Where nothing follows for one, it
// may lose all there is: 2 per round in regret, 1 in cost.
Bounds exponential(const Terms& terms, const BoundOptions& options) {
  Bounds found;
  if (terms.gamma_scale != 1.0 || terms.lambda_scale != 1.0) return found;
  const int blocks = Terms::blocks(terms.rounds);
  BoundOptions each = options;
  each.delta = options.delta / blocks;
  double regret = 0.0;
  Costs ccv(terms.costs);
  std::int64_t left = terms.rounds;
  for (int j = 0; j < blocks; ++j) {
    const Terms of = terms.of_block(j);
    const Bounds block = bounds(of, each);
    const double played = static_cast<double>(std::min(left, of.rounds));
    left -= of.rounds;
    regret += std::min(block.regret.value_or(2.0 * played), 2.0 * played);
    for (int i = 0; i < terms.costs; ++i) {
      ccv[i] += block.ccv.empty() ? played : std::min(block.ccv[i], played);
    }
  }
  found.regret = regret;
  found.ccv = ccv;
  return found;
}

}  // namespace

Bounds anytime_bounds(const Terms& terms, const BoundOptions& options) {
  if (is_nonnegative(terms.setting) && terms.costs > 0) return exponential(terms, options);
  return quadratic(terms, options);
}

}  // namespace rein
