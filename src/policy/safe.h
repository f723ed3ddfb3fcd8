// safe: any policy, mixed with a safe action so that the expected cost of every round keeps a limit.
//
//     safe(action=0,cost=0.1,limit=0.3,of=ccb)
//
// The inner policy says p. Actions whose upper confidence bound is within every limit keep their
// probability. Of the others (B) the share beta is kept, and the rest goes to the safe action a_0:
//
//     beta = the largest number in [0, 1] with, for every cost i,
//            sum_{a not in B} p(a) u_i(a) + beta sum_{a in B} p(a) u_i(a) + (1 - beta) p(B) u_i(a_0) <= limit_i
//
// beta = 0 always fits. So with probability 1 - delta every round keeps every limit in expectation
// (policy/stage.h). The bounds (policy/upper_bounds.h) learn every outcome by themselves, whatever the inner
// policy learns.
// What it learns is what was played: the limit leaves p(B) some probability unless the safe action
// costs as much as the limit.
#pragma once

#include <memory>

#include "policy/explains.h"
#include "policy/stage.h"
#include "policy/upper_bounds.h"
#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_safe(const Spec& spec, const Shape& shape, const Own& own);

class Safe final : public Policy, public Explains {
 public:
  Safe(const Spec& spec, std::unique_ptr<Policy> policy, std::unique_ptr<UpperBounds> bounds,
       const Stage& stage);

  using Policy::decide;
  using Policy::learn;
  Result<> decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                  Decision& decision) const override;
  Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome,
                 Part part) override;

  const Shape& shape() const override { return policy_->shape(); }
  const Spec& spec() const override { return spec_; }
  PolicyState state() const override { return adapted(policy_->state()); }
  PolicyState brief() const override { return adapted(policy_->brief()); }
  std::size_t scratch() const override { return front() + uppers(); }
  std::string save() const override;
  Result<> load(std::string_view bytes) override;

  Result<> explain(const Round& round, const Decision& decision,
                   std::span<Explanation> out) const override {
    return explain_by(*policy_, round, decision, out);
  }

 private:
  // The state of the policy inside, as it is here.
  static PolicyState adapted(PolicyState state);
  // Doubles of what the inner policy and the bounds need in turn, and of the bounds themselves.
  std::size_t front() const { return std::max(policy_->scratch(), bounds_->scratch()); }
  std::size_t uppers() const { return shape().costs.size() * static_cast<std::size_t>(shape().actions); }
  double kept(std::span<const double> upper, const Decision& decision) const;
  bool fits(std::span<const double> upper, std::size_t action, std::size_t actions) const;

  Spec spec_;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<UpperBounds> bounds_;
  Stage stage_;
};

}  // namespace rein
