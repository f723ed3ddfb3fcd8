#include "policy/peers/unpriced.h"

#include "policy/composed.h"

namespace rein {

Result<std::unique_ptr<Policy>> compose_unpriced(const Spec& spec, Plan plan, const Spec& gain,
                                                 const Spec& explorer) {
  Rules rules(plan.terms);
  rules.reward_only = true;
  auto parts = make_parts(std::move(plan.oracle), {Spec("none"), gain, explorer}, rules.terms);
  if (!parts) return parts.failure();
  return std::make_unique<Composed>(spec, plan.shape, std::move(parts).value(), rules);
}

namespace {

Result<std::unique_ptr<Policy>> make_reference(const Spec& spec, const Shape& shape,
                                               SpecReader& read, const Spec& explorer,
                                               const Own& own) {
  const PlanKeys keys(read, PlanKeys::Classes::kReward);
  if (auto done = read.finish(); !done) return done.failure();
  auto plan = make_plan(keys, shape, Setting::kExpectation, /*reward_only=*/true, own);
  if (!plan) return plan.failure();
  return compose_unpriced(spec, std::move(plan).value(), Spec("constant"), explorer);
}

}  // namespace

Result<std::unique_ptr<Policy>> make_greedy(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  return make_reference(spec, shape, read, Spec("greedy"), own);
}

Result<std::unique_ptr<Policy>> make_epsilon(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  Spec explorer("epsilon");
  explorer.set("epsilon", {.is = read.number("epsilon", 0.1, {.low = 0.0, .high = 1.0})});
  return make_reference(spec, shape, read, explorer, own);
}

Result<std::unique_ptr<Policy>> make_uniform(const Spec& spec, const Shape& shape) {
  if (auto done = SpecReader(spec, "policy spec").finish(); !done) return done.failure();
  Plan plan;
  plan.shape = shape;
  plan.terms.actions = shape.actions;
  plan.terms.costs = 0;
  return compose_unpriced(spec, std::move(plan), Spec("constant"), Spec("uniform"));
}

}  // namespace rein
