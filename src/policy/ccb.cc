#include "policy/ccb.h"

#include "policy/composed.h"
#include "policy/plan.h"

namespace rein {
namespace {

const char* usual_pricer(const Terms& terms) {
  if (terms.costs == 0) return "none";
  switch (terms.setting) {
    case Setting::kAlmostSure:
    case Setting::kKnapsack:
      return "exponential";
    default:
      return "quadratic";
  }
}

}  // namespace

Result<std::unique_ptr<Policy>> make_ccb(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read);
  const char* usual = knows_budget(keys, shape) ? "knapsack" : "expectation";
  const std::string setting = read.word(
      "setting", usual,
      {"expectation", "slater", "almost_sure", "knapsack", "linear_constraints", "pacing"});
  read.word("tuning", "theory", {"theory"});
  const Limits scale{.low = kMinScale, .high = kMaxScale};
  Terms scales;
  scales.v_scale = read.number("v_scale", 1.0, scale);
  scales.lambda_scale = read.number("lambda_scale", 1.0, scale);
  scales.gamma_scale = read.number("gamma_scale", 1.0, scale);
  const Spec gain = read.spec("gain", "theory");
  const Spec explorer = read.spec("explorer", "igw");
  const bool has_pricer = read.has("pricer");
  const Spec given_pricer = read.spec("pricer", "quadratic");
  if (keys.rounds == 0 && shape.rounds == 0) {
    read.refuse("tuning=theory needs the number of rounds; accepted: rounds=N");
  }
  if (auto done = read.finish(); !done) return Error{done.error()};

  auto planned = make_plan(keys, shape, parse_setting(setting).value(), /*reward_only=*/false);
  if (!planned) return Error{planned.error()};
  Plan& plan = planned.value();
  Rules rules;
  rules.terms = plan.terms;
  rules.terms.v_scale = scales.v_scale;
  rules.terms.lambda_scale = scales.lambda_scale;
  rules.terms.gamma_scale = scales.gamma_scale;
  rules.theorem = gain.name == "theory" && explorer.name == "igw" && !has_pricer;
  rules.positive_part = rules.terms.setting == Setting::kAlmostSure;
  if (rules.terms.setting == Setting::kPacing) {
    rules.rate = rules.terms.budgets;
    for (double& rate : rules.rate) rate /= static_cast<double>(rules.terms.rounds);
  }

  const Spec pricer = has_pricer ? given_pricer : Spec(usual_pricer(rules.terms));
  auto made_pricer = make_pricer(pricer, rules.terms);
  if (!made_pricer) return Error{made_pricer.error()};
  Terms explored = rules.terms;
  if (pricer.name == "none") explored.costs = 0;  // scores hold the error of one head, not of m + 1
  auto made_gain = make_gain(gain, explored);
  if (!made_gain) return Error{made_gain.error()};
  auto made_explorer = make_explorer(explorer);
  if (!made_explorer) return Error{made_explorer.error()};
  Parts parts{std::move(plan.oracle), std::move(made_pricer).value(), std::move(made_gain).value(),
              std::move(made_explorer).value()};
  return std::make_unique<Composed>(spec, plan.shape, std::move(parts), rules);
}

}  // namespace rein
