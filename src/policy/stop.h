// stop: any policy under a hard stop, with a named null action to fall back on.
//
//     stop(of=ccb(budget=100,rounds=5000),null=0)
//
// As long as spent + reserved + the largest value of a cost fits its limit, the inner policy
// decides. When it no longer does, for any cost, only the null action is played, with probability
// 1. So consumption never passes the limit, if null costs nothing and `reserved` covers what open
// decisions may still cost. Money is counted in whole micro-units (price/ledger.h): no rounding
// and no order of outcomes passes the limit either.
//
// A stopped decision has the action and the probabilities of the null action. Scores of the other
// actions are barred, so `best` is the null action too. Estimates, prices and gamma are those of
// the inner policy, which decided the round first and made its draw. The inner policy learns
// everything. An outcome of null is an outcome like any other, and its clock goes on; only its
// guarantee, if it had one, is no longer claimed (PolicyState::theorem).
//
// A stopped round that does not offer null is refused (Reason::kBudget). Refunds (negative costs)
// may end a stop. An outcome of null that would pass the limit is refused: another action was
// meant.
#pragma once

#include "policy/explains.h"
#include "price/ledger.h"
#include "rein/policy.h"

namespace rein {

class SpecReader;

Result<std::unique_ptr<Policy>> make_stop(const Spec& spec, const Shape& shape, const Own& own);

// For peers that print a hard stop: the key `null`, and the same policy stopped at the budgets of
// its shape, where the key was given. Keeps its spec. Passes an error on.
inline constexpr std::int64_t kNoNull = -1;
std::int64_t read_null(SpecReader& read);
Result<std::unique_ptr<Policy>> stop_at_budget(Result<std::unique_ptr<Policy>> policy,
                                               std::int64_t null);

class Stop final : public Policy, public Explains {
 public:
  // `limits` has one limit per cost, in the units of the shape; empty: the budgets of the shape.
  static Result<std::unique_ptr<Policy>> make(const Spec& spec, std::unique_ptr<Policy> policy,
                                              std::int64_t null, std::vector<double> limits);

  using Policy::decide;
  using Policy::learn;
  Result<> decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                  Decision& decision) const override;
  Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome,
                 Part part) override;

  const Shape& shape() const override { return shape_; }
  const Spec& spec() const override { return spec_; }
  PolicyState state() const override { return adapted(policy_->state()); }
  PolicyState brief() const override { return adapted(policy_->brief()); }
  std::size_t scratch() const override { return policy_->scratch(); }
  std::string save() const override;
  Result<> load(std::string_view bytes) override;

  Result<> explain(const Round& round, const Decision& decision,
                   std::span<Explanation> out) const override {
    return explain_by(*policy_, round, decision, out);
  }

  // Whether an action other than null could pass a limit.
  bool stopped(std::span<const double> reserved = {}) const;

 private:
  // The state of the policy inside, as it is here.
  static PolicyState adapted(PolicyState state);
  Stop(const Spec& spec, std::unique_ptr<Policy> policy, std::int32_t null);

  Spec spec_;
  std::unique_ptr<Policy> policy_;
  Shape shape_;
  std::int32_t null_;
  Ledger ledger_;
  Micros largest_{};  // of every cost
  Micros over_{};     // spent beyond the limit, where `reserved` was too small
};

}  // namespace rein
