// Pricer: turns what was spent so far into a price per cost.
//
// The queue of a cost is the sum of what was paid, minus its rate if the setting has one. A price
// is the slope of a potential at that queue: the reward that one more unit of cost must bring to be
// worth it. Pricers work in units: costs and rewards are divided by the largest absolute value of
// their range, so they lie in [-1, 1].
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rein/costs.h"
#include "rein/own.h"
#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

class ByteReader;
class ByteWriter;

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
  Costs budgets;            // B in units, one per cost; empty if the setting has none
  Costs rates;              // budget per round, in units; the target of prices that look ahead
  Costs lowest;             // the smallest value of each cost, in units; empty if unknown
  double v_scale = 1.0;     // multipliers of the theorem's constants; 1 is the theorem
  double lambda_scale = 1.0;
  double gamma_scale = 1.0;
  // Bound on the squared errors of every head, each action weighted by its probability. It holds
  // with probability 1 - kBoundDelta / 2. 0: U itself is such a bound. gamma is computed from U;
  // the bounds are computed from this.
  double errors = 0.0;

  // sqrt(K T U), the unit of all rates in the theorem.
  double root() const;
  // errors / U, at least 1.
  double error_ratio() const;
  // The value of `errors` if U bounds the square-loss regret of an oracle: docs/bounds.md.
  double errors_of_regret() const;
};

// The totals from which prices are computed, in units.
struct Books {
  std::int64_t rounds = 0;  // rounds learned
  Costs spent;              // consumption: the sum of what was paid
  Costs reserved;           // predicted cost of decisions without an outcome
  double u = 1.0;           // the oracle bound in use
  // Upper bound on any policy's reward per round. A first stage may lower it; 0: nothing is priced yet.
  double opt = 1.0;
  double reach = 0.0;  // the largest price worth paying (Z), once a first stage has found it
  // Standard deviations of rewards and costs around their predictions; 1 and empty if unknown.
  double noise = 1.0;
  Costs noises;
  double late = 0.0;  // outcomes that come between a decision and its own, on average

  // The reserved amount of one cost; an empty `reserved` means 0.
  double held(int cost) const { return reserved.empty() ? 0.0 : reserved[cost]; }
};

// price_i = scaled_i * exp(log_scale), with log_scale = log max(1, largest price). The two factors
// are kept separate because an exponential price can overflow a double while the score does not.
// The pricer `predicted` uses costs that were seen: its log_scale is log max(1, largest price times
// cost).
struct Prices {
  Costs scaled;
  double log_scale = 0.0;
};

// A simulation of the policy on its recent rounds, for prices that look ahead. It uses the
// estimates of those rounds with the current gamma and explorer. All amounts are in units per
// round.
class Rehearsal {
 public:
  virtual ~Rehearsal() = default;
  // Number of rounds in the simulation.
  virtual int rounds() const = 0;
  // Sets gamma to its present value under these prices; spend() uses it until the next call.
  virtual void fix_gamma(const Books& books, const Prices& prices) = 0;
  // Writes spend[i], the amount of cost i that would be paid. Writes slopes[i * m + j], the
  // decrease of spend[i] per unit increase of price j.
  virtual void spend(const Costs& prices, Costs& spend, std::span<double> slopes) = 0;
  // The smallest amount of each cost that any choice of actions could have paid.
  virtual Costs least() const = 0;
  // The mean over rounds of (largest - smallest) amount that an action could have paid, for each
  // cost.
  virtual Costs spreads() const = 0;
};

class Pricer {
 public:
  virtual ~Pricer() = default;

  // Computes the price of every cost from the queues before this round plus what is reserved.
  virtual void price(const Books& books, Prices& out) const = 0;
  // Adds the costs of one round to the queues. `books` already includes that round.
  virtual void learn(const Books& books, std::span<const double> costs) = 0;
  // Called after learn(), for prices that look ahead; other pricers do nothing.
  virtual void foresee(const Books& books, Rehearsal& rehearsal);
  // For prices whose largest value is found on the way: starts anew with this one. Other pricers do
  // nothing.
  virtual void restart(double reach);
  // The queue Q of every cost, and the parameter of its price (V or lambda).
  virtual Costs queues() const = 0;
  virtual Costs parameters() const = 0;

  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// Makes the pricer that the spec names: none, quadratic, exponential, ... `rein list` shows all.
// `own` holds the potential for pricer=own.
Result<std::unique_ptr<Pricer>> make_pricer(const Spec& spec, const Terms& terms,
                                            const Own& own = {});

}  // namespace rein
