// PolicyBase: what every policy does alike, written once. It checks what comes in, keeps the books,
// draws the action, saves and loads; a policy says how a distribution is made and what is learned.
//
// learn() goes in one order: validate; all that may throw, which is an oracle of the caller's own
// (attempt()); then the books, and what can no longer fail (commit(): price, gain, extras). So a
// throw leaves everything as it was.
//
// Units: rewards and costs divided by the largest absolute value of their range; where only the
// positive part of a cost counts, by the largest value of that part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policy/explains.h"
#include "policy/lesson.h"
#include "policy/shares.h"
#include "policy/status.h"
#include "policy/undo.h"
#include "rein/policy.h"
#include "rein/pricer.h"
#include "tuning/prior.h"

namespace rein {

// How rounds and outcomes become what the parts of a policy see.
struct Rules {
  explicit Rules(const Terms& of) : terms(of) { start.u = of.u; }

  Terms terms;
  Books start;  // what the books say before the first round; `spent` may be left empty
  Costs rate;   // taken from every cost before it joins its queue, in units; empty: nothing
  // The explicit bounds of the theorem hold: nothing but its multipliers was changed.
  bool theorem = false;
  // Costs are counted, but never learned or priced.
  bool reward_only = false;
  double floor = 0.0;     // the least probability of an action that fits, times K (policy/floor.h)
  Shares shares;          // least and most probabilities, and the holdout
  bool baseline = false;  // rounds may bring a baseline of their own
};

class PolicyBase : public Policy, public Explains {
 public:
  using Policy::decide;
  using Policy::learn;
  Result<> decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                  Decision& decision) const final;
  Result<> learn(const Round& round, const Decision& decision, const Outcome& given,
                 Part part) final;

  const Shape& shape() const final { return shape_; }
  const Spec& spec() const final { return spec_; }
  PolicyState state() const final { return told(true); }
  PolicyState brief() const final { return told(false); }
  std::size_t scratch() const override { return oracle_ ? oracle_->scratch() : 0; }
  std::string save() const final;
  Result<> load(std::string_view bytes) final;
  Result<> explain(const Round& round, const Decision& decision,
                   std::span<Explanation> out) const final;

 protected:
  // `shape` is what rounds and outcomes are checked against. An oracle may be missing.
  PolicyBase(const Spec& spec, const Shape& shape, std::unique_ptr<Oracle> oracle,
             const Rules& rules);

  // Refuses rounds that this policy cannot decide, though they fit the shape.
  virtual Result<> accepts(const Round& /*round*/) const { return {}; }
  // Fills scores, probabilities, gamma, prices and, where it is not 0, log_scale of a decision that
  // has the oracle's estimates. `books` include the reserved costs. May return the costs of every
  // action as the oracle estimates them, in units, one row per action: Decision::predicted is made
  // of them.
  virtual std::span<const double> choose(const Round& round, const Books& books, Scratch& scratch,
                                         Decision& decision) const = 0;
  // May change what the oracle learns of an outcome: the reward and every cost, in the units of the
  // shape. They must stay inside their ranges.
  virtual void teach(const Round& round, int action, std::span<double> heads) const;
  // Whether outcomes may come in parts: then attempt() and commit() see NaN for what has not come.
  virtual bool learns_parts() const { return false; }
  // All of learning that may throw; then everything must be as it was. Here the oracle learns.
  virtual void attempt(const Lesson& lesson);
  // The rest. The books already have the round.
  virtual void commit(const Lesson& lesson, Books& books) = 0;
  // A bill from which nothing is learned (Part::kBill). The books already include it.
  virtual void bill(const Paid& /*paid*/, const Books& /*books*/) {}
  // Corrects the oracle's estimates of actions that were hardly played.
  virtual void add_prior(const Round& /*round*/, Estimates& /*estimates*/) const {}
  // Adds queues, parameters and what else the policy knows.
  virtual void tell(PolicyState& state) const = 0;
  // Adds what takes long to compute.
  virtual void certify(PolicyState& /*state*/) const {}
  // All that was learned besides the books and the oracle.
  virtual void save_parts(ByteWriter& out) const = 0;
  virtual Result<> load_parts(ByteReader& in) = 0;

  const Rules& rules() const { return rules_; }
  Oracle* oracle() const { return oracle_.get(); }  // null where there is none
  // whether the oracle is the caller's own, which may throw
  bool own_oracle() const { return own_oracle_; }
  // Brings the oracle back, unless it is kept; for attempt().
  Undo guard() { return {*oracle_, own_oracle_, before_}; }
  int costs() const { return static_cast<int>(shape_.costs.size()); }
  std::int64_t rounds() const { return books_.rounds; }
  std::span<const double> units() const { return units_; }
  double unit(int head) const { return units_[static_cast<std::size_t>(head)]; }
  // Prices per unit, as prices in the units of the shape.
  Costs in_shape(Costs prices) const;

 private:
  PolicyState told(bool whole) const;
  Result<> read(std::string_view bytes);
  // Reads the saved shape: it must be this shape, or the same with fewer actions.
  void read_shape(ByteReader& in) const;
  // `came` receives the parts that came.
  Result<> check_outcome(const Outcome& outcome, Came& came) const;
  // Learns an outcome that was checked.
  void take(const Round& round, const Decision& decision, const Outcome& given, Came came,
            Part part);
  // Estimates, scores and prices of a round as decide() would make them, without a draw. Returns what
  // choose() does.
  Result<std::span<const double>> estimate(const Round& round, const Costs& paces, Scratch& working,
                                           Decision& made) const;
  static Result<> check_action(const Round& round, int action);
  void explain_score(const Decision& decision, Explanation& out) const;
  Result<> learn_warm(const Round& round, const Decision& given, const Outcome& outcome);
  void count(const Lesson& lesson);
  void count_warm(const Lesson& lesson);
  Result<> book(const Outcome& outcome);
  void count_paces(const Decision& decision);
  double pace_of(const Decision& decision, int cost) const;  // in units
  // Writes how many decisions are open, and what the budgets of their rounds are.
  void count_open(const Money& money, Books& books) const;
  // Writes the paces and what is left to the books and the decision.
  Result<> take_paces(const Money& money, Books& books, Decision& decision) const;
  // The numbers that the status is computed from.
  StatusAccounts accounts(const PolicyState& state) const;

  Spec spec_;
  Shape shape_;
  Rules rules_;
  std::vector<double> units_;  // of the reward and every cost
  std::unique_ptr<Oracle> oracle_;
  bool own_oracle_;
  std::string before_;  // bytes of the caller's own oracle before it learns
  Books books_;
  std::int64_t stale_ = -1;  // rounds learned when the last later part of an outcome came; -1: none
  double reward_ = 0.0;
  Costs sizes_;              // sums of absolute costs, in units
  std::int64_t logged_ = 0;  // decisions that came with all their probabilities,
  double weight_ = 0.0;      // and the sum of their squared weights
  // The decision that this policy would have made in the logged round that is learned.
  std::unique_ptr<Decision> warm_;
  Scratch scratch_;
};

}  // namespace rein
