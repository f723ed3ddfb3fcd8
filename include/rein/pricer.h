// Pricer: turns what was spent so far into a price per cost.
//
// The queue of a cost is the sum of what was paid, minus the cost's rate if the setting has rates.
// A price is the slope of a potential at that queue: the reward that one more unit of cost must
// bring to be worth it. Pricers work in units: costs and rewards are divided by the largest
// absolute value of their range, so they lie in [-1, 1].
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "rein/bytes.h"
#include "rein/costs.h"
#include "rein/own.h"
#include "rein/result.h"
#include "rein/spec.h"
#include "rein/terms.h"

namespace rein {

// The totals from which prices are computed, in units.
struct Books {
  std::int64_t rounds = 0;  // rounds learned
  // Logged rounds that were learned (Part::kWarm): what is known, not what was spent. And the
  // largest absolute value of each cost in them; empty: none.
  std::int64_t warm = 0;
  Costs largest;
  Costs spent;     // consumption: the sum of what was paid
  Costs reserved;  // predicted cost of decisions without an outcome
  double u = 1.0;  // the oracle bound in use
  // Upper bound on any policy's reward per round. A first stage may lower this bound; 0: nothing is
  // priced yet.
  double opt = 1.0;
  double reach = 0.0;  // the largest price worth paying (Z), once a first stage has found it
  // Standard deviations of rewards and costs around their predictions; 1 and empty if unknown.
  double noise = 1.0;
  Costs noises;
  double late = 0.0;  // outcomes that come between a decision and its own, on average
  // Decisions of whose outcome nothing has come, and what the budgets per round allow them; empty: nothing.
  std::int64_t open = 0;
  Costs due;
  // If the budgets are kept elsewhere (Terms::paced): the amount that may be spent per decision,
  // what is left of the tightest budget, and the sum of the paces of the rounds learned.
  Costs paces, left, paced;
  // What each action of this decision can cost, in the units of the shape (Money::bounds).
  std::span<const double> bounds;

  // The reserved amount of one cost; an empty `reserved` means 0.
  double held(int cost) const { return reserved.empty() ? 0.0 : reserved[cost]; }
  // What open decisions add to the queue of one cost: what they hold, less the budgets of their rounds.
  double owed(int cost) const { return held(cost) - (due.empty() ? 0.0 : due[cost]); }
  // Rounds decided, and those that are decided and not learned: outcomes that never came count by `late`.
  std::int64_t decided() const { return rounds + open; }
  double waiting() const { return late < static_cast<double>(open) ? static_cast<double>(open) : late; }
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
  // The spread of the expected rewards over the actions of a round; 0 if it is not known.
  virtual double reward_spread() const { return 0.0; }
};

// What one call of Pricer::learn() adds.
struct Paid {
  // What is added to each queue, in units: the cost if it came, less the rate per round if the
  // round counts now (`first`). If the cost has not come, only the rate is subtracted.
  std::span<const double> queued;
  std::uint32_t came = ~std::uint32_t{0};  // bit i: cost i came
  bool first = true;                       // the round counts now

  Paid(std::span<const double> all) : queued(all) {}  // NOLINT: a whole outcome
  Paid(const Costs& all) : queued(all.span()) {}      // NOLINT
  Paid(const Costs& some, std::uint32_t which, bool is_first)
      : queued(some.span()), came(which), first(is_first) {}
  bool has(int cost) const { return (came >> cost & 1U) != 0; }
};

class Pricer {
 public:
  virtual ~Pricer() = default;

  // Computes the price of every cost from the queues before this round plus what is reserved.
  virtual void price(const Books& books, Prices& out) const = 0;
  // Adds the costs of one round to the queues. `books` already includes them.
  virtual void learn(const Books& books, const Paid& paid) = 0;
  // Called after learn(), and now and then after logged rounds, for prices that look ahead; other
  // pricers do nothing.
  virtual void foresee(const Books& /*books*/, Rehearsal& /*rehearsal*/) {}
  // Starts anew with `reach` as the largest price. Only pricers whose largest price is found by a
  // first stage do anything.
  virtual void restart(double /*reach*/) {}
  // The queue Q of every cost, and the parameter of its price (V or lambda).
  virtual Costs queues() const = 0;
  virtual Costs parameters() const = 0;

  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// Makes the pricer that the spec names: none, quadratic, exponential, ... `rein list` shows all.
// `own` holds the potentials that the caller brings.
Result<std::unique_ptr<Pricer>> make_pricer(const Spec& spec, const Terms& terms,
                                            const Own& own = {});

}  // namespace rein
