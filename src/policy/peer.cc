#include "policy/peer.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/composed.h"

namespace rein {

Setting peer_setting(const PlanKeys& keys, const Shape& shape) {
  if (!knows_budget(keys, shape)) return Setting::kExpectation;
  const bool has_signed = std::any_of(shape.costs.begin(), shape.costs.end(),
                                      [](const CostShape& cost) { return cost.range.low < 0.0; });
  return has_signed ? Setting::kLinearConstraints : Setting::kKnapsack;
}

Result<Plan> plan_peer(const Spec& spec, const PlanKeys& keys, const Shape& shape) {
  if (keys.rounds == 0 && shape.rounds == 0) {
    return Error{
        fmt::format("policy spec: {} needs the number of rounds; accepted: rounds=N", spec.name)};
  }
  return make_plan(keys, shape, peer_setting(keys, shape), /*reward_only=*/false);
}

Result<KnapsackPlan> plan_knapsack(const Spec& spec, const PlanKeys& keys, const Shape& shape) {
  auto plan = plan_peer(spec, keys, shape);
  if (!plan) return Error{plan.error()};
  auto form = Form::knapsack(plan.value().terms);
  if (!form) return Error{form.error()};
  return KnapsackPlan{std::move(plan).value(), form.value()};
}

Result<std::unique_ptr<Policy>> compose_peer(const Spec& spec, Plan plan, const Form& form,
                                             const PeerParts& parts) {
  Rules rules;
  rules.terms = plan.terms;
  rules.rate = form.rates();
  rules.confidence = parts.confidence;
  PartSpecs specs = parts.specs;
  if (plan.terms.costs == 0) specs.pricer = Spec("none");
  auto made = make_parts(std::move(plan.oracle), specs, rules.terms);
  if (!made) return Error{made.error()};
  if (parts.first_stage > 0) {
    made.value().first = std::make_unique<FirstStage>(plan.shape, parts.first_stage, form.rates());
    rules.stage_margin = form.rate();  // Z = OPT / B + 1
  }
  auto policy = std::make_unique<Composed>(spec, plan.shape, std::move(made).value(), rules);
  return stop_at_budget(std::move(policy), parts.null);
}

}  // namespace rein
