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

Result<std::unique_ptr<Policy>> compose_peer(const Spec& spec, Plan plan, const Form& form,
                                             const PeerParts& parts) {
  Rules rules;
  rules.terms = plan.terms;
  rules.rate = form.rates();
  rules.confidence = parts.confidence;
  auto pricer = make_pricer(plan.terms.costs == 0 ? Spec("none") : parts.pricer, rules.terms);
  if (!pricer) return Error{pricer.error()};
  auto gain = make_gain(parts.gain, rules.terms);
  if (!gain) return Error{gain.error()};
  auto explorer = make_explorer(parts.explorer);
  if (!explorer) return Error{explorer.error()};
  Parts made{std::move(plan.oracle), std::move(pricer).value(), std::move(gain).value(),
             std::move(explorer).value()};
  if (parts.first_stage > 0) {
    made.first = std::make_unique<FirstStage>(plan.shape, parts.first_stage, form.rates());
    rules.stage_margin = form.rate();  // Z = OPT / B + 1
  }
  return std::make_unique<Composed>(spec, plan.shape, std::move(made), rules);
}

}  // namespace rein
