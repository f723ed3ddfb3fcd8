// What the peers of ccb share: which problem the shape poses, and how parts become a policy.
//
//     no budget known                     zero-threshold: sum of every cost <= 0   (expectation)
//     a budget, no cost can be negative   knapsack
//     a budget, signed costs              linear_constraints
//
// A peer is written for one of the two forms of price/forms.h and uses the other through it. Its
// oracle learns costs as they come; its pricer sees cost - b, b = B / T (0 without a budget).
#pragma once

#include "policy/base.h"
#include "policy/confidence.h"
#include "policy/parts.h"
#include "policy/peers/first_stage.h"
#include "policy/plan.h"
#include "policy/stop.h"
#include "price/forms.h"
#include "rein/policy.h"

namespace rein {

// The setting that a peer assumes.
Setting peer_setting(const PlanKeys& keys, const Shape& shape);

// The plan of a peer. Every peer needs the horizon: a problem without a horizon is refused.
Result<Plan> plan_peer(const Spec& spec, const PlanKeys& keys, const Shape& shape, const Own& own);

// The plan of a peer that is written for knapsacks.
struct KnapsackPlan {
  Plan plan;
  Form form;
};
Result<KnapsackPlan> plan_knapsack(const Spec& spec, const PlanKeys& keys, const Shape& shape,
                                   const Own& own);

// The rules of a peer that is no composition, in zero-threshold form.
Rules peer_rules(const Plan& plan);

// The parts that a peer chose.
struct PeerParts {
  PartSpecs specs;
  Confidence confidence = {};            // bounds to score by; none by default
  FirstStage::Options first = {};        // exploration before the first priced round; none
  std::unique_ptr<Gain> gain = nullptr;  // used in place of the gain that `specs` names
  std::int64_t null = kNoNull;           // the action to stop with at the budget, if any
};

// Makes the policy of a plan and its parts. Where there is no cost, nothing is priced.
Result<std::unique_ptr<Policy>> compose_peer(const Spec& spec, Plan plan, const Form& form,
                                             PeerParts parts);

}  // namespace rein
