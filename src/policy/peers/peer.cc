#include "policy/peers/peer.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/composed.h"
#include "solve/long_term.h"

namespace rein {

Setting peer_setting(const PlanKeys& keys, const Shape& shape) {
  if (!knows_budget(keys, shape)) return Setting::kExpectation;
  const bool has_signed = std::any_of(shape.costs.begin(), shape.costs.end(),
                                      [](const CostShape& cost) { return cost.range.low < 0.0; });
  return has_signed ? Setting::kLinearConstraints : Setting::kKnapsack;
}

Result<Plan> plan_peer(const Spec& spec, const PlanKeys& keys, const Shape& shape, const Own& own) {
  if (keys.rounds == 0 && shape.rounds == 0) {
    return Error{
        fmt::format("policy spec: {} needs the number of rounds; accepted: rounds=N", spec.name)};
  }
  return make_plan(keys, shape, peer_setting(keys, shape), /*reward_only=*/false, own);
}

Result<KnapsackPlan> plan_knapsack(const Spec& spec, const PlanKeys& keys, const Shape& shape,
                                   const Own& own) {
  auto plan = plan_peer(spec, keys, shape, own);
  if (!plan) return plan.failure();
  auto form = Form::knapsack(plan.value().terms);
  if (!form) return form.failure();
  return KnapsackPlan{std::move(plan).value(), form.value()};
}

Rules peer_rules(const Plan& plan) {
  Rules rules(plan.terms);
  rules.rate = Form::zero_threshold(plan.terms).rates();
  return rules;
}

Result<std::unique_ptr<Policy>> compose_peer(const Spec& spec, Plan plan, const Form& form,
                                             PeerParts parts) {
  Rules rules(plan.terms);
  rules.rate = form.rates();
  if (plan.terms.costs == 0) parts.specs.pricer = Spec("none");
  auto made = make_parts(std::move(plan.oracle), parts.specs, rules.terms);
  if (!made) return made.failure();
  made.value().confidence = parts.confidence;
  if (parts.gain) made.value().gain = std::move(parts.gain);
  if (parts.first.rounds > 0) {
    const std::string what = fmt::format("policy spec: the first stage of {}", spec.name);
    if (auto solver = LongTerm::check_solver(plan.terms.costs, what); !solver) {
      return solver.failure();
    }
    rules.start.opt = FirstStage::opt_before(parts.first.kind);
    made.value().extras.push_back(
        std::make_unique<FirstStage>(plan.shape, rules.terms, form, parts.first));
  }
  auto policy = std::make_unique<Composed>(spec, plan.shape, std::move(made).value(), rules);
  return stop_at_budget(std::move(policy), parts.null);
}

}  // namespace rein
