// The explicit bounds of the theorem, parts (a) to (f), for m resources. docs/bounds.md derives
// them and says where a constant differs from the paper's.
//
//   quadratic    R      = sqrt(V T (T+1) + 2m T^2 + c V T root) + 2c T sqrt(KU)   [+ 2 B sqrt T]
//                Regret <= c root + (2m T + 2c sqrt(KU) R [+ 2 (B / sqrt T) R]) / V
//                CCV    <= sqrt(2 V T + c V root + 2m T + 2c sqrt(KU) R [+ 2 (B / sqrt T) R])
//   exponential  Regret <= c root + 2m/3,  CCV_i <= ln(M) / lambda_i
//   no costs     Regret <= c root
//
// with root = sqrt(K T U) and c = (m+1)(s rho + 1/s), where s is the gamma_scale and rho = errors /
// U. So c = 4 at m = 1 and rho = 1. Terms in brackets are for part (f). Under pacing 2m becomes 4m,
// since g - B/T lies in [-2, 1], and CCV is the excess over B. These are bounds on means over runs.
// Those of a single run (delta > 0) add terms for chance: class Chance and exponential_run().
#include "rein/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/units.h"
#include "evaluate/anytime_bounds.h"
#include "evaluate/margin_bounds.h"
#include "policy/toward.h"
#include "price/exponential.h"
#include "rein/policy.h"

namespace rein {
namespace {

// c: the factor of sqrt(KU S) in the sum of the regret in scores.
double weight(const Terms& terms, const BoundOptions& options) {
  const double ratio = std::max(1.0, error_bound(terms, options) / terms.u);
  return (terms.costs + 1.0) * (terms.gamma_scale * ratio + 1.0 / terms.gamma_scale);
}

// How far the mean rewards of the actions drawn may fall below those of their distributions. It is
// one of `events` bounds that all hold with probability 1 - delta / 2.
double luck(const Terms& terms, double delta, double events) {
  if (delta == 0.0) return 0.0;
  return std::sqrt(2.0 * static_cast<double>(terms.rounds) * log(2.0 * events / delta));
}

// The share of the potential F that the drift leaves on the left side, before the price's own part
// lambda (c root + B) is subtracted: (1 - 2 lambda L / kappa phi) / (phi psi(kappa)) with the best
// kappa, L = ln(levels m 4 / delta).
double kept(const Terms& terms, double lambda, double delta) {
  const double phi = (exp(lambda) - 1.0) / lambda;
  const double levels = std::ceil(log(exponential_cap(terms)) / log(2.0)) + 1.0;
  const double chance = log(4.0 * terms.costs * levels / delta);
  double best = 0.0;
  for (double kappa = 1.0; kappa > 1e-6; kappa /= 2.0) {
    const double psi = (exp(kappa) - 1.0) / kappa;
    best = std::max(best, (1.0 / phi - 2.0 * lambda * chance / kappa) / psi);
  }
  return best;
}

// Bounds of a single run, with probability 1 - delta.
Bounds exponential_run(const Terms& terms, double c, double delta) {
  Bounds bounds;
  const double m = terms.costs;
  const double most = m + 2.0 * static_cast<double>(terms.rounds) + c * terms.root();
  const double cap = exponential_cap(terms);
  double regret = c * terms.root() + luck(terms, delta, 2.0);
  Costs ccv(terms.costs);
  for (int i = 0; i < terms.costs; ++i) {
    const double lambda = exponential_lambda(terms, i);
    const double budget = terms.budgets.empty() ? 0.0 : terms.budgets[i];
    const double left = kept(terms, lambda, delta) - lambda * (c * terms.root() + budget);
    if (left <= 0.0) return bounds;  // the terms are too small for a bound
    regret += 1.0 - left;
    const double potential = most / left;
    // The potential is linear beyond the cap.
    ccv[i] = (log(std::min(potential, cap)) + std::max(0.0, potential / cap - 1.0)) / lambda;
  }
  bounds.regret = regret;
  bounds.ccv = ccv;
  return bounds;
}

Bounds exponential_bounds(const Terms& terms, const BoundOptions& options) {
  Bounds bounds;
  if (terms.gamma_scale != 1.0 || terms.lambda_scale != 1.0) return bounds;
  const double c = weight(terms, options);
  if (options.delta > 0.0) return exponential_run(terms, c, options.delta);
  const double m = terms.costs;
  if (c > (m + 1.0) * (1.0 + terms.error_ratio())) return bounds;  // too large for lambda
  const double log_cap = log(exponential_cap(terms));
  bounds.regret = c * terms.root() + 2.0 * m / 3.0;
  bounds.ccv = Costs(terms.costs);
  for (int i = 0; i < terms.costs; ++i) bounds.ccv[i] = log_cap / exponential_lambda(terms, i);
  return bounds;
}

// The numbers that all quadratic bounds share.
struct Quadratic {
  Quadratic(const Terms& terms, const BoundOptions& options)
      : t(static_cast<double>(terms.rounds)),
        m(terms.costs),
        root(terms.root()),
        root_ku(std::sqrt(terms.actions * terms.u)),
        c(weight(terms, options)),
        drawn(luck(terms, options.delta, 4.0)) {
    // Squares of g, or of g - B/T, which lies in [-2, 1], summed over resources.
    squares = (terms.setting == Setting::kPacing ? 4.0 : 2.0) * m;
    double budget_squares = 0.0;
    for (double b : terms.budgets) budget_squares += b * b;
    if (terms.setting == Setting::kLinearConstraints) budget = std::sqrt(budget_squares);
    v = terms.v_scale * (root + budget);
    if (options.delta > 0.0) chance = log(8.0 / options.delta);
    measured = options.premise >= 0.0 || options.misspecified > 0.0;
  }
  // L of the j-th number that a proof may choose, from 1 on. Where R is made of what was measured
  // in the run, so is the choice: then every number has its share 1 / (j (j + 1)) of the chance.
  double chance_of(int j) const { return measured ? chance + log(j * (j + 1.0)) : chance; }
  // N_T, the chance in what costs add up to, from N_T <= 2 m h R^2 + L / h at the best h: of powers
  // of two, where it must be chosen from the run.
  double drift(double r) const {
    if (chance == 0.0) return 0.0;
    if (!measured) return std::sqrt(8.0 * m * chance) * r;
    const int j = std::max(1, static_cast<int>(std::lround(log(r) / log(2.0))));
    const double near = std::ldexp(1.0, j);
    return std::sqrt(2.0 * m * chance_of(j)) * (r * r / near + near);
  }
  // R, from R^2 <= sum + b R and the term for chance: kappa R^2 + 2 m T^2 L / kappa.
  double radius(double sum) const {
    const double b = 2.0 * c * t * root_ku + 2.0 * budget * std::sqrt(t);
    if (chance == 0.0) return std::sqrt(sum) + b;
    double least = std::numeric_limits<double>::infinity();
    int j = 1;
    for (double kappa = 0.5; kappa > 1e-9; kappa /= 2.0, ++j) {
      const double more = 2.0 * m * t * t * chance_of(j) / kappa;
      least = std::min(least, std::sqrt((sum + more) / (1.0 - kappa)) + b / (1.0 - kappa));
    }
    return least;
  }
  double radius() const { return radius(v * t * (t + 1.0) + squares * t * t + c * v * t * root); }
  // With the premise of part (e), for the regret of the drawn actions.
  double radius_with(double premise) const {
    return radius((c + premise) * v * t * root + v * t * drawn + squares * t * t);
  }
  // The numerator over V in the regret bound, and the term under the root in the CCV bound.
  double rest(double r) const {
    return squares * t + 2.0 * c * root_ku * r + 2.0 * budget / std::sqrt(t) * r + drift(r);
  }
  double t, m, root, root_ku, c, drawn;
  double squares = 0.0, budget = 0.0, v = 0.0, chance = 0.0;
  bool measured = false;
};

// What the margin adds. Of the chance that bounds fail, three of the four eighths are in use in this
// setting: h of R, h of N_T, and the actions drawn from above. The fourth is for these. Means over
// runs follow from bounds that fail in one run of T: there the CCV is at most T, the regret 2T.
void add_margin(const Terms& terms, const BoundOptions& options, const Quadratic& q,
                Bounds& bounds) {
  const bool is_mean = options.delta == 0.0;
  const auto found = margin_bounds(
      {.rounds = q.t,
       .costs = q.m,
       .v = q.v,
       .weight = q.c * q.root_ku,
       .margin = options.margin,
       .delta = is_mean ? 1.0 / q.t : options.delta / 8.0,
       .is_measured = options.margin_is_measured || options.misspecified > 0.0});
  if (!found) return;
  const double rest = is_mean ? 1.0 : 0.0;
  bounds.regret_margin = found->regret + q.drawn + 2.0 * rest;
  bounds.ccv_max = Costs(terms.costs, found->largest + rest);
  for (int i = 0; i < terms.costs; ++i) {
    bounds.ccv_average[i] = std::min(bounds.ccv_average[i], found->average + rest);
    bounds.ccv_share[i] = std::min({bounds.ccv_share[i], bounds.ccv_max[i],
                                    bounds.ccv_average[i] / (1.0 - options.share)});
  }
}

}  // namespace

double error_bound(const Terms& terms, const BoundOptions& options) {
  double errors = terms.u * terms.error_ratio();
  if (options.misspecified <= 0.0) return errors;
  if (options.delta == 0.0) return errors + options.misspecified;
  errors += 4.0 * options.misspecified + 4.0 * log(4.0 * (terms.costs + 1.0) / options.delta);
  return std::max(terms.u, std::min(errors, 4.0 * static_cast<double>(terms.rounds)));
}

Bounds bounds(const Terms& terms, const BoundOptions& options) {
  if (terms.anytime) return anytime_bounds(terms, options);
  if (is_nonnegative(terms.setting) && terms.costs > 0) return exponential_bounds(terms, options);
  const Quadratic q(terms, options);
  Bounds bounds;
  if (terms.costs == 0) {
    bounds.regret = q.c * q.root + q.drawn;
    return bounds;
  }
  double r = q.radius();
  double ccv_squared = 2.0 * q.v * q.t + q.c * q.v * q.root + q.rest(r);
  if (terms.setting == Setting::kSlater && options.margin > 0.0) {
    const double average = ccv_squared / (2.0 * options.margin * q.t);
    bounds.ccv_average = Costs(terms.costs, average);
    bounds.ccv_share =
        Costs(terms.costs, std::min(average / (1.0 - options.share), std::sqrt(ccv_squared)));
    add_margin(terms, options, q, bounds);
  }
  if (options.premise >= 0.0 && terms.setting == Setting::kExpectation) {  // part (e)
    r = std::min(r, q.radius_with(options.premise));
    const double with_premise = (q.c + options.premise) * q.v * q.root + q.v * q.drawn + q.rest(r);
    ccv_squared = std::min(ccv_squared, with_premise);
    bounds.queue_rms = Costs(terms.costs, r / std::sqrt(q.t));
  }
  bounds.regret = q.c * q.root + q.rest(r) / q.v + q.drawn;
  bounds.ccv = Costs(terms.costs, std::sqrt(ccv_squared));
  if (terms.setting == Setting::kPacing) {
    for (int i = 0; i < terms.costs; ++i) bounds.ccv[i] += terms.budgets[i];
  }
  return bounds;
}

Bounds bounds(const Policy& policy, const BoundOptions& options) {
  const PolicyState state = policy.state();
  if (!state.theorem) return {};
  const bool positive_part = state.theorem->setting == Setting::kAlmostSure;
  const std::vector<double> units = units_of(solved_shape(policy), positive_part);
  const std::int64_t rounds = options.rounds > 0 ? options.rounds : state.rounds;
  if (state.theorem->anytime && rounds == 0) return {};
  Bounds found = bounds(state.theorem->after(rounds), options);
  if (found.regret) *found.regret *= units[0];
  if (found.regret_margin) *found.regret_margin *= units[0];
  for (Costs* costs :
       {&found.ccv, &found.ccv_average, &found.ccv_share, &found.queue_rms, &found.ccv_max}) {
    for (int i = 0; i < costs->size(); ++i) (*costs)[i] *= units[static_cast<std::size_t>(i) + 1];
  }
  return found;
}

std::string_view why(NoBound reason) {
  switch (reason) {
    case NoBound::kNone:
      return "";
    case NoBound::kHorizon:
      return "the policy was made for another number of rounds";
    case NoBound::kDelay:
      return "outcomes came late";
    case NoBound::kMeans:
      return "the world knows no means";
    case NoBound::kBenchmark:
      return "regret is against the benchmark of another setting";
    case NoBound::kInfeasible:
      return "some round had no feasible choice";
    case NoBound::kPositive:
      return "the means of positive parts are unknown";
    case NoBound::kNorm:
      return "features passed the norm that U assumes";
    case NoBound::kErrors:
      return "the oracle's errors passed what the bound assumes";
    case NoBound::kConstants:
      return "no bound follows with these constants";
    case NoBound::kLive:
      return "the run had live budgets, or outcomes in parts";
  }
  return "";
}

}  // namespace rein
