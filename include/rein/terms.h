// Setting and Terms: what is known about the problem, and the quantities from which the theorem's
// constants and bounds are computed.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rein/costs.h"
#include "rein/result.h"

namespace rein {

// What the user knows about the problem. Each setting is a part of Theorem 1; see
// docs/policy/ccb.md.
enum class Setting { kExpectation, kSlater, kAlmostSure, kKnapsack, kLinearConstraints, kPacing };
std::string_view name_of(Setting setting);
Result<Setting> parse_setting(std::string_view name);
// Settings with a total budget; and those whose costs are taken to be at least 0, of which
// almost_sure counts only the positive part of what comes.
bool has_budget(Setting setting);
bool is_nonnegative(Setting setting);
bool counts_positive_part(Setting setting);
// "expectation, slater, ...", for messages and help.
std::string_view setting_names();

// Limits on U, V, lambda and the cap of an exponential price in a spec, and on the multipliers of
// the theorem's constants. Within them every price stays below about 1e200.
inline constexpr double kMinParameter = 1e-100;
inline constexpr double kMaxParameter = 1e100;
inline constexpr double kMinScale = 1e-12;
inline constexpr double kMaxScale = 1e12;
// The smallest budget per round, in units, for prices that divide by it.
inline constexpr double kMinRate = 1e-50;

// The probability that a printed bound fails: every bound holds with probability 0.95.
inline constexpr double kBoundDelta = 0.05;

// The quantities from which the theorem's constants are computed.
struct Terms {
  Setting setting = Setting::kExpectation;
  int actions = 1;          // K, the largest number of actions in a round
  int costs = 1;            // m
  std::int64_t rounds = 1;  // T
  double u = 1.0;           // the oracle bound U, at least 1
  Costs budgets;            // B in units, one per cost; empty if the setting has no budgets
  Costs rates;              // budget per round, in units; the target of prices that look ahead
  bool paced = false;       // no budgets: every decision brings how fast each cost may be spent
  Costs lowest;             // the smallest value of each cost, in units; empty if unknown
  double v_scale = 1.0;     // multipliers of the theorem's constants; 1 is the theorem
  double lambda_scale = 1.0;
  double gamma_scale = 1.0;
  // Bound on the squared errors of every head, each action weighted by its probability. The bound
  // holds with probability 1 - kBoundDelta / 2. 0: U itself is such a bound. gamma is computed from
  // U; the bounds are computed from this.
  double errors = 0.0;

  // Without a horizon (docs/theory/anytime.md) `rounds` is 0, and the constants of round t are those
  // of a horizon of t rounds. Rounds are in blocks: block j is 2^j <= t < 2^(j+1). U is that of the
  // block, `growth[j]`; with an empty `growth` it is `u` in all of them.
  bool anytime = false;
  std::vector<double> growth;

  // The number of blocks that t rounds touch, and U in round t. REQUIRES t >= 1.
  static int blocks(std::int64_t t) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(t)));
  }
  double u_at(std::int64_t t) const {
    return growth.empty() ? u : growth[static_cast<std::size_t>(blocks(t)) - 1];
  }
  // What holds after t rounds; these terms themselves, where there is a horizon.
  Terms after(std::int64_t t) const;
  // The terms by which the exponential prices of block j are made: a horizon of 2^j rounds.
  Terms of_block(int j) const;
  // sqrt(K T U), the unit of all rates in the theorem.
  double root() const;
  // errors / U, at least 1.
  double error_ratio() const;
  // The value of `errors` if U bounds the square-loss regret of an oracle: docs/bounds.md.
  double errors_of_regret() const;
};

}  // namespace rein
