// Policy: estimate, price, explore. In each round call decide(), then learn() once the outcome is
// known.
//
//     rein::Rng rng(7);
//     auto policy = rein::make_policy("ccb(budget=1000,rounds=50000)", shape).value();
//     rein::Scratch scratch(*policy);
//     rein::Decision d(*policy);
//     policy->decide(round, rng, scratch, d).check();
//     policy->learn(round, d, {.reward = 1.0, .costs = {0.02}}).check();
//
// Threads: any number of threads may call decide() at once, each with its own Rng, Scratch and
// Decision. learn() and load() need exclusive access to the policy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/certified.h"
#include "rein/oracle.h"
#include "rein/result.h"
#include "rein/rng.h"
#include "rein/round.h"
#include "rein/scratch.h"
#include "rein/shape.h"
#include "rein/status.h"
#include "rein/terms.h"

namespace rein {

class Policy;

// What the caller knows about money: one number per cost, in the units of the shape, or none.
struct Money {
  std::span<const double> reserved;  // what open decisions may still cost; prices count it as spent
  // For a policy whose shape is paced: how much may be spent per decision from now on, and how much
  // is left. Infinite: no limit.
  std::span<const double> paces;
  std::span<const double> left;
  // What each action can cost, learned from its costs: one row per action id, NaN where nothing was
  // learned. Empty: largest costs are declared.
  std::span<const double> bounds;
  // Decisions of whose outcome nothing has come. Each of them has a budget for its round, beside which
  // prices see what is reserved.
  std::int64_t open = 0;
};

// Whether a decision belongs to the random control group of a policy (holdout=).
enum class Holdout {
  kNone,     // the policy has no control group
  kOutside,  // the policy chose
  kInside,   // the control was played, by chance alone
  kBarred,   // the control was not on offer: the round has no control group
};

// One decision, with everything that learn() needs. Keep it until the outcome comes.
struct Decision {
  Decision() = default;                     // grows on first use
  explicit Decision(const Policy& policy);  // large enough for every round of this policy

  int action = -1;           // index into the round's actions
  double probability = 0.0;  // of the chosen action
  double gamma = 0.0;        // exploration rate; larger is greedier
  double log_scale = 0.0;    // log max(1, largest price in units); z = exp(2 log_scale)
  int best = -1;             // the action with the largest score
  std::int64_t learned = 0;  // number of rounds learned before this decision
  Holdout holdout = Holdout::kNone;
  Costs predicted;      // estimated costs of the chosen action, in units
  Costs prices;         // reward per unit of each cost, in the units of the shape
  Costs paces;          // those it was made with, in the units of the shape; empty: none
  Estimates estimates;  // the oracle's estimates for every action

  // One probability per action, in the order of the round.
  std::span<const double> probabilities() const { return {numbers_.data(), size()}; }
  // One score per action: estimated reward minus priced costs, in units, divided by exp(log_scale).
  std::span<const double> scores() const { return {numbers_.data() + size(), size()}; }

  // For implementations of Policy: makes room for a round, and gives write access.
  void prepare(int heads, int actions);
  std::span<double> probabilities() { return {numbers_.data(), size()}; }
  std::span<double> scores() { return {numbers_.data() + size(), size()}; }

 private:
  std::size_t size() const { return static_cast<std::size_t>(actions_); }
  std::vector<double> numbers_;  // probabilities, then scores
  int actions_ = 0;
};

// Whether the policy's function class fits the data it sees; see docs/alarm.md.
struct AlarmState {
  bool ringing = false;
  std::string_view why = "quiet";  // or "shadow" or "bias"
  int head = -1;                   // the head that rang: 0 the reward, i cost i
  std::int64_t round = -1;         // when it rang, in rounds learned; each part of a round counts
};

// Changes with time that the oracle noticed; see docs/alarm.md.
struct ChangeState {
  std::int64_t times = 0;   // how many
  std::int64_t round = -1;  // when the last change was noticed, in outcomes learned
  int head = -1;            // the head that changed: 0 the reward, i cost i
};

// What a policy reports about itself.
struct PolicyState {
  std::int64_t rounds = 0;  // rounds learned
  std::int64_t warm = 0;    // logged rounds learned (Part::kWarm); nothing below counts them
  double reward = 0.0;      // total, in the units of the shape
  Costs spent;              // consumption, in the units of the shape
  Costs allowed;            // what the budgets per round allow so far; empty without budgets
  Costs queues;             // in units (costs divided by their largest absolute value)
  Costs parameters;         // V or lambda, one per cost; empty if nothing is priced
  // U, a bound on the cumulative squared error of each head. With tuning=auto it is certified from
  // the estimates used so far (docs/theory/default.md). Otherwise it is the oracle's bound. NaN without an
  // oracle, and if it is not certified after a warm start.
  double u = 0.0;
  double oracle_regret = 0.0;         // the oracle's own estimate of U; NaN if unknown
  std::optional<AlarmState> alarm;    // if the policy has an alarm
  std::optional<ChangeState> change;  // if the oracle looks for changes
  bool learns_parts = false;          // outcomes may come in parts
  Status status = Status::kOk;
  int status_head = -1;      // what the status is about: 0 the reward, i cost i; -1: none
  bool status_goal = false;  // it is about a limit of the policy's goal, not about a budget
  // Effective sample size of the decisions learned so far, for evaluating other policies on them:
  // docs/status.md. 0 if some probability was 0.
  double effective_size = 0.0;
  // The smallest cost of a round, by the estimates of recent rounds, in the units of the shape;
  // empty if unknown.
  Costs least;
  // The head that the policy maximises or minimises: 0 the reward, i cost i. If it is a cost, queues
  // and prices have the reward in its place.
  int objective = 0;
  // The setting that the policy assumes; not set if costs are not priced.
  std::optional<Setting> setting;
  // What was lost at most, if the policy was made to certify it: ccb(certify=1).
  std::optional<Certified> certified;
  // What the constants were computed from; set only if the theorem covers the policy.
  std::optional<Terms> theorem;
};

// How a part of an outcome comes. The round counts (rounds learned, S, the budget per round) with
// the first part. Each head learns, and each queue moves by its cost, when that part comes.
enum class Part {
  kFirst,  // the first part of a decision, or all of it at once
  kLater,  // another part: some part of the same decision was learned before
  // Costs that come after the decision expired. They are added to the spend and to the queues, and
  // nothing else is learned. The round and the decision are not used.
  kBill,
  // Differences to costs that came before, added in the same way as a kBill.
  kCorrection,
  // A round that somebody else decided: a row of a log, for a warm start. Of the decision only the
  // action is used, and the paces if it has any. All parts that learn about outcomes learn: the
  // oracle, noise, prior, calibration and alarm. Rounds learned, rewards, spend, queues, S and the
  // effective sample size do not move. Parts may be missing. If no part came, nothing is learned,
  // and the price rehearses on the round with the present estimates. Policies that are not
  // compositions refuse a kWarm.
  kWarm,
};

inline bool is_bill(Part part) { return part == Part::kBill || part == Part::kCorrection; }

class Policy {
 public:
  virtual ~Policy() = default;

  // Chooses an action with one draw of the Rng; nothing else changes. Refuses rounds that do not fit
  // the shape, and answers that would not be finite (docs/limits.md, Decisions). A refusal does not
  // change the Rng; do not use the decision after it.
  virtual Result<> decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                          Decision& decision) const = 0;
  Result<> decide(const Round& round, std::span<const double> reserved, Rng& rng, Scratch& scratch,
                  Decision& decision) const {
    return decide(round, Money{.reserved = reserved, .paces = {}, .left = {}}, rng, scratch,
                  decision);
  }
  Result<> decide(const Round& round, Rng& rng, Scratch& scratch, Decision& decision) const {
    return decide(round, Money{}, rng, scratch, decision);
  }
  // Learns the outcome of a decision, at any later time and in any order. A refused outcome changes
  // nothing. An outcome may come in parts (rein/round.h), each part once: the caller makes sure of
  // that, as Engine does. Policies that are not compositions (banditq, optimistic3, pgd, own) learn
  // whole outcomes only and refuse parts.
  virtual Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome,
                         Part part) = 0;
  Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome) {
    return learn(round, decision, outcome, Part::kFirst);
  }

  virtual const Shape& shape() const = 0;
  // The spec that the policy was made from, in its printed form.
  virtual const Spec& spec() const = 0;
  virtual PolicyState state() const = 0;
  // The same for those who ask often: where U is certified, u is NaN.
  virtual PolicyState brief() const { return state(); }
  // Number of doubles that decide() takes from its scratch.
  virtual std::size_t scratch() const = 0;

  // The complete state: a policy that loads it continues with the same bits. load() REQUIRES bytes
  // from a policy of the same spec and shape. Other bytes are refused, and the policy stays as it
  // was. With tuning=auto the saved shape may have fewer actions; then nothing is known about the
  // additional actions.
  virtual std::string save() const = 0;
  virtual Result<> load(std::string_view bytes) = 0;
};

// Makes the policy that the spec names: ccb, squarecb, loe2d, ... `rein list` shows all. `own`
// holds the pieces that the caller brings. A piece that the spec does not use is refused.
Result<std::unique_ptr<Policy>> make_policy(std::string_view spec, const Shape& shape,
                                            const Own& own = {});
Result<std::unique_ptr<Policy>> make_policy(const Spec& spec, const Shape& shape,
                                            const Own& own = {});
// The oracle of ccb where its spec names none. To tell how large a policy will be before it is made.
Spec usual_class(const Shape& shape);

// Whether a policy's spec has a goal: one of the keys minimize, maximize, at_least and at_most.
bool has_goal(const Spec& spec);

}  // namespace rein
