// Pricer: turns what was spent so far into a price per cost.
//
// A price is the slope of a potential at the queue of a resource: how much reward one more unit of
// cost must bring to be worth it. Pricers work in units: costs and rewards divided by the largest
// absolute value that their range allows, so everything here lies in [-1, 1].
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

// What the user knows about the problem; each is a part of Theorem 1. See docs/policy/ccb.md.
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

// Limits of what a spec may give: U, V, lambda and the cap of an exponential price, and the
// multipliers of what the theorem says. Within them no price outgrows 1e200 or so.
inline constexpr double kMinParameter = 1e-100;
inline constexpr double kMaxParameter = 1e100;
inline constexpr double kMinScale = 1e-12;
inline constexpr double kMaxScale = 1e12;
// The least budget per round, in units, where a price is made of its inverse.
inline constexpr double kMinRate = 1e-50;

// The chance with which a printed bound may fail: every bound holds with probability 0.95.
inline constexpr double kBoundDelta = 0.05;

// What the constants of the theorem are made of.
struct Terms {
  Setting setting = Setting::kExpectation;
  int actions = 1;          // K, the most actions of a round
  int costs = 1;            // m
  std::int64_t rounds = 1;  // T
  double u = 1.0;           // the oracle bound U, at least 1
  Costs budgets;            // B in units, one a cost; empty where the setting has none
  Costs rates;              // budget a round, in units: what a price that looks ahead aims at
  Costs lowest;             // the least that each cost can be, in units; empty where nobody said
  double v_scale = 1.0;     // multipliers of what the theorem says; 1 is the theorem
  double lambda_scale = 1.0;
  double gamma_scale = 1.0;
  // What the squared errors of every head stay under with probability 1 - kBoundDelta / 2, each action
  // weighed by its probability; 0 where U itself is known to do. U is what gamma is made of; this
  // is what the bounds are made of.
  double errors = 0.0;

  // sqrt(K T U), the rate at which everything in the theorem is measured.
  double root() const;
  // errors / U, at least 1.
  double error_ratio() const;
  // What `errors` is where U bounds the regret of an oracle in square loss: docs/bounds.md.
  double errors_of_regret() const;
};

// The totals that prices may be made of. Units, as above.
struct Books {
  std::int64_t rounds = 0;  // rounds learned
  Costs spent;              // consumption: the sum of what was paid
  Costs reserved;           // promised by decisions whose outcome has not come
  double u = 1.0;           // the oracle bound in force
  // No policy earns more per round. A first stage lowers it at its end; 0: nothing is priced yet.
  double opt = 1.0;
  double reach = 0.0;  // the largest price worth paying (Z), once a first stage has found it

  // What is reserved of one cost; `reserved` is empty where nothing is.
  double held(int cost) const { return reserved.empty() ? 0.0 : reserved[cost]; }
};

// price_i = scaled_i * exp(log_scale), log_scale = log max(1, largest price). Kept apart because an
// exponential price outgrows a double long before a score made of it has to. `predicted` measures
// what is large by costs that were seen: its log_scale is log max(1, largest price times cost).
struct Prices {
  Costs scaled;
  double log_scale = 0.0;
};

// A policy's rehearsal on its recent rounds, for prices that look ahead: the estimates that recent
// decisions were made from, with the present gamma and explorer. All in units, a round.
class Rehearsal {
 public:
  virtual ~Rehearsal() = default;
  // The rounds it remembers.
  virtual int rounds() const = 0;
  // Fixes gamma at what it is now under these prices; spend() uses it until the next call.
  virtual void fix_gamma(const Books& books, const Prices& prices) = 0;
  // spend[i]: what would be paid of cost i.
  // slopes[i * m + j]: how much less of it for one more of price j.
  virtual void spend(const Costs& prices, Costs& spend, std::span<double> slopes) = 0;
  // The least of each cost that any choice of actions could have paid.
  virtual Costs least() const = 0;
  // The most less the least that an action of a round could have paid of each cost, in the mean.
  virtual Costs spreads() const = 0;
};

class Pricer {
 public:
  virtual ~Pricer() = default;

  // The price of every cost, from the queues before this round plus what is reserved.
  virtual void price(const Books& books, Prices& out) const = 0;
  // Adds what one round put on the queues. `books` already includes that round.
  virtual void learn(const Books& books, std::span<const double> costs) = 0;
  // After learn(), for prices that look ahead; the others do nothing.
  virtual void foresee(const Books& books, Rehearsal& rehearsal);
  // For prices whose largest value is found on the way: starts anew with this one. The others do
  // nothing.
  virtual void restart(double reach);
  // The queue Q of every cost, and the parameter that the price was derived with (V or lambda).
  virtual Costs queues() const = 0;
  virtual Costs parameters() const = 0;

  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// Makes the pricer that the spec names: none, quadratic, exponential, ... `rein list` shows all.
// `own` has the potential for pricer=own.
Result<std::unique_ptr<Pricer>> make_pricer(const Spec& spec, const Terms& terms,
                                            const Own& own = {});

}  // namespace rein
