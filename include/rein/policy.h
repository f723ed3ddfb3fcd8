// Policy: estimate, price, explore. One round is decide(), then, now or much later, learn().
//
//     rein::Rng rng(7);
//     auto policy = rein::make_policy("ccb(budget=1000,rounds=50000)", shape).value();
//     rein::Scratch scratch(*policy);
//     rein::Decision d(*policy);
//     policy->decide(round, rng, scratch, d).check();
//     policy->learn(round, d, {.reward = 1.0, .costs = {0.02}}).check();
//
// Threads: any number may decide() at once, each with its own Rng, Scratch and Decision, while
// nobody learns; learn() and load() need the policy to themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/oracle.h"
#include "rein/pricer.h"
#include "rein/result.h"
#include "rein/rng.h"
#include "rein/round.h"
#include "rein/scratch.h"
#include "rein/shape.h"

namespace rein {

class Policy;

// One decision, and all that learn() needs to know of it. Keep it until the outcome comes.
struct Decision {
  Decision() = default;                     // grows on first use
  explicit Decision(const Policy& policy);  // large enough for every round of this policy

  int action = -1;           // index into the round's actions
  double probability = 0.0;  // with which it was chosen
  double gamma = 0.0;        // exploration rate; greedier when larger
  double log_scale = 0.0;    // log max(1, largest price in units); z = exp(2 log_scale)
  int best = -1;             // the action with the largest score
  std::int64_t learned = 0;  // rounds that the policy had learned when it decided
  Costs predicted;           // costs of the chosen action as the oracle has them, in units
  Costs prices;              // reward per unit of each cost, in the units of the shape
  Estimates estimates;       // what the oracle said of every action

  // One number an action, in the order of the round.
  std::span<const double> probabilities() const { return {numbers_.data(), size()}; }
  // Estimated reward less priced costs, in units, divided by exp(log_scale).
  std::span<const double> scores() const { return {numbers_.data() + size(), size()}; }

  // For policies: room for a round, and the numbers themselves.
  void prepare(int heads, int actions);
  std::span<double> probabilities() { return {numbers_.data(), size()}; }
  std::span<double> scores() { return {numbers_.data() + size(), size()}; }

 private:
  std::size_t size() const { return static_cast<std::size_t>(actions_); }
  std::vector<double> numbers_;  // probabilities, then scores
  int actions_ = 0;
};

// Whether the class of functions that a policy learns from holds what it sees; see docs/alarm.md.
struct AlarmState {
  bool ringing = false;
  std::string_view why = "quiet";  // or "shadow" or "bias"
  int head = -1;                   // which rang: 0 the reward, i the i-th cost
  std::int64_t round = -1;         // when, in rounds learned
};

// What a policy can say about itself.
struct PolicyState {
  std::int64_t rounds = 0;          // learned
  double reward = 0.0;              // total, in the units of the shape
  Costs spent;                      // consumption, in the units of the shape
  Costs queues;                     // in units (costs divided by their largest absolute value)
  Costs parameters;                 // V or lambda, one a cost; empty where nothing is priced
  // U: a bound on the squared error of each head. With tuning=auto that of the estimates played, as
  // certified so far (docs/tuning.md); otherwise the oracle's bound in use. NaN without an oracle.
  double u = 0.0;
  double oracle_regret = 0.0;       // the oracle's own account; NaN where unknown
  std::optional<AlarmState> alarm;  // where the policy watches for it
  // What it takes to be promised; none where costs are not priced.
  std::optional<Setting> setting;
  // What the constants were made of, where the policy is the algorithm that the theorem speaks of.
  std::optional<Terms> theorem;
};

class Policy {
 public:
  virtual ~Policy() = default;

  // Chooses an action. Changes nothing but the Rng, which makes one draw. `reserved` is what open
  // decisions may still cost (one a cost, in the units of the shape; empty for nothing): prices are
  // made as if it were spent. A refused round changes nothing, the Rng included. Neither does an
  // answer that would not be finite (docs/limits.md, Decisions): it is refused, and the decision is
  // then not to be used.
  virtual Result<> decide(const Round& round, std::span<const double> reserved, Rng& rng,
                          Scratch& scratch, Decision& decision) const = 0;
  Result<> decide(const Round& round, Rng& rng, Scratch& scratch, Decision& decision) const {
    return decide(round, {}, rng, scratch, decision);
  }
  // Learns the outcome of a decision, in any order, any time later. A refused outcome changes
  // nothing.
  virtual Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome) = 0;

  virtual const Shape& shape() const = 0;
  // The spec that the policy was made from, as it prints.
  virtual const Spec& spec() const = 0;
  virtual PolicyState state() const = 0;
  // Doubles that decide() takes from its scratch.
  virtual std::size_t scratch() const = 0;

  // All state, exactly: a loaded policy goes on bit for bit. load() REQUIRES bytes from a policy of
  // the same spec and shape, refuses others, and then leaves the policy as it was.
  virtual std::string save() const = 0;
  virtual Result<> load(std::string_view bytes) = 0;
};

// Makes the policy that the spec names: ccb, squarecb, loe2d, ... `rein list` shows all.
// `own` has pieces of the caller's own; one that the spec does not use is refused.
Result<std::unique_ptr<Policy>> make_policy(std::string_view spec, const Shape& shape,
                                            const Own& own = {});
Result<std::unique_ptr<Policy>> make_policy(const Spec& spec, const Shape& shape,
                                            const Own& own = {});

}  // namespace rein
