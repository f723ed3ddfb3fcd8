#include "policy/ccb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/tuned.h"
#include "base/units.h"
#include "estimate/abilities.h"
#include "estimate/optimistic.h"
#include "estimate/unit_features.h"
#include "explore/igw.h"
#include "policy/auto_tuning.h"
#include "policy/ccb_keys.h"
#include "policy/certifier.h"
#include "policy/composed.h"
#include "policy/toward.h"
#include "policy/tries.h"
#include "policy/watch.h"

namespace rein {
namespace {

constexpr double kMostRaced = 1 << 21;  // numbers in the factors of the curves: 16 MiB
constexpr double kCurves = 32.0;        // of the kernel in the race

// With a horizon T debts are paid within T / 2 rounds or 30 sqrt t, whichever is less, so that what
// one block of rounds needs can be lent by another. Signed costs may be lent for longer, 100 sqrt t:
// what one block pays is what another gets back. They keep a reserve, because the last block may be
// one that cannot pay back. Without a horizon debts are paid soon.
Spec usual_pricer(const Terms& terms, bool adaptive, bool limited) {
  if (terms.costs == 0) return Spec("none");
  if (!adaptive) return Spec(is_nonnegative(terms.setting) ? "exponential" : "quadratic");
  Spec predicted("predicted");
  if (!limited) predicted.set("limited", {.is = 0.0});
  if (terms.rounds > 0) {
    const double root = std::sqrt(static_cast<double>(terms.rounds));
    const bool lends = !is_nonnegative(terms.setting);
    predicted.set("payback", {.is = std::clamp(tuned::kPaybackShare * root, tuned::kPaybackLeast,
                                           lends ? tuned::kPaybackLent : tuned::kPaybackMost)});
    if (lends) predicted.set("reserve", {.is = tuned::kReserve});
  }
  return predicted;
}

// The budget per round, in units: what tuning=auto aims at.
Result<Costs> rates_of(const CcbKeys& keys, const Plan& plan) {
  Costs rates(plan.terms.costs);
  if (!has_budget(plan.terms.setting) || plan.shape.paced) return rates;
  const std::vector<double>& given =
      !keys.plan.rates.empty() ? keys.plan.rates : plan.shape.budgets;
  const double over = !keys.plan.rates.empty() ? 1.0 : static_cast<double>(plan.shape.rounds);
  if (given.empty() || over == 0.0) {
    return Error{fmt::format(
        "policy spec: tuning={} in setting {} needs to know how fast to spend; accepted: "
        "rate=PER_ROUND, or budget=TOTAL with rounds=N",
        keys.adaptive ? "auto" : "theory", name_of(plan.terms.setting))};
  }
  if (static_cast<int>(given.size()) != rates.size()) {
    return Error{
        fmt::format("policy spec: key \"rate\" has {} numbers; accepted: one per cost ({})",
                    given.size(), rates.size())};
  }
  for (int i = 0; i < rates.size(); ++i) {
    const double unit = unit_of(plan.shape.costs[i].range);
    rates[i] = given[i] / over / unit;
    if (std::abs(rates[i]) <= kMaxTotal) continue;
    return Error{fmt::format(
        "policy spec: the budget of cost \"{}\" is {} per round; accepted: {} to {}",
        plan.shape.costs[i].name, given[i] / over, -kMaxTotal * unit, kMaxTotal * unit)};
  }
  return rates;
}

// The true means, whether for all heads at once or for the reward and the costs apart.
bool is_truth(const Spec& oracle) {
  if (oracle.name != "pair") return oracle.name == "truth";
  return std::ranges::all_of(std::array{"reward", "cost"}, [&](const char* key) {
    const SpecValue* value = oracle.find(key);
    const Spec* of = value == nullptr ? nullptr : std::get_if<Spec>(&value->is);
    return of != nullptr && of->name == "truth";
  });
}

// What the squared errors of every head stay under with probability 1 - kBoundDelta / 2;
// docs/bounds.md derives it from the oracle's regret. Who gives U vouches for it, and the truth has
// no error.
double errors_of(const PlanKeys& keys, const Plan& plan) {
  if (keys.u || is_truth(keys.oracle)) return plan.terms.u;
  return plan.terms.errors_of_regret();
}

// The terms without a horizon: U of every block of rounds, from the oracle's own bound, unless it is
// the same for all.
Result<> set_anytime(const PlanKeys& keys, const Plan& plan, Rules& rules) {
  Terms& terms = rules.terms;
  terms.anytime = true;
  terms.rounds = 0;
  if (keys.u || is_truth(keys.oracle)) {
    terms.errors = terms.u;
    return {};
  }
  double least = 1.0;
  for (std::int64_t block = 1; block <= kMaxHorizon; block *= 2) {
    least = std::max(least, plan.oracle->bound(2 * block - 1));
    terms.growth.push_back(least);
  }
  if (!(least <= kMaxParameter)) {  // or not a number
    return Error{fmt::format("policy spec: the oracle {} has the bound U = {}; accepted: up to {}, "
                             "or a bound of your own, u=U",
                             keys.oracle.str(), least, kMaxParameter)};
  }
  terms.u = rules.start.u = terms.growth[0];
  return {};
}

// The floor knows the budget per round, whichever way it was given.
Floor floor_of(double share, const Terms& terms, const Shape& shape) {
  Costs rates = terms.rates.empty() ? terms.budgets : terms.rates;
  if (terms.rates.empty()) {
    for (double& rate : rates) rate /= static_cast<double>(terms.rounds);
  }
  std::vector<bool> refunds;
  for (const CostShape& cost : shape.costs) refunds.push_back(cost.range.low < 0.0);
  return Floor(share, rates, refunds);
}

const Explorer& gap_weighting() {
  static const Igw igw;
  return igw;
}

// Whether the numbers of a round are all that an oracle learns from, so that they may be scaled.
bool learns_features(const Spec& oracle) {
  return oracle.name == "vaw" || oracle.name == "ridge" || oracle.name == "kernel" ||
         oracle.name == "forest" || oracle.name == "auto";
}

// Whether the class of the oracle has a constant: then every number may be moved.
bool has_constant(const Spec& oracle) {
  if (const SpecValue* bias = oracle.find("bias")) {
    const double* given = std::get_if<double>(&bias->is);
    return given != nullptr && *given != 0.0;
  }
  const SpecValue* map = oracle.find("features");
  const Spec* word = map == nullptr ? nullptr : std::get_if<Spec>(&map->is);
  return word == nullptr || word->name != "joint";
}

// The terms of the problem and what follows from them: U, budgets per round, multipliers.
Result<Rules> make_rules(const CcbKeys& keys, const Plan& plan) {
  Rules rules(plan.terms);
  Terms& terms = rules.terms;
  terms.v_scale = keys.v_scale;
  terms.lambda_scale = keys.lambda_scale;
  terms.gamma_scale = keys.gamma_scale;
  if (keys.anytime) {
    if (auto grown = set_anytime(keys.plan, plan, rules); !grown) return grown.failure();
  } else if (!keys.adaptive) {
    terms.errors = errors_of(keys.plan, plan);
  }
  rules.theorem = !keys.adaptive && keys.gain.name == "theory" && keys.explorer.name == "igw" &&
                  !keys.has_pricer && keys.floor == 0.0 && keys.tries == 0.0 &&
                  !keys.shares.active() && !keys.baseline.active();
  if (keys.adaptive || (keys.anytime && terms.setting == Setting::kPacing)) {
    auto rates = rates_of(keys, plan);
    if (!rates) return rates.failure();
    rules.rate = terms.rates = rates.value();
  } else if (terms.setting == Setting::kPacing) {
    rules.rate = terms.budgets;
    for (double& rate : rules.rate) rate /= static_cast<double>(terms.rounds);
  }
  if (keys.adaptive) {
    if (!keys.horizon || plan.shape.paced) terms.rounds = 0;
    terms.paced = plan.shape.paced;
    if (!keys.plan.u) rules.start.u = 1.0;  // certified as rounds are learned
  }
  rules.floor = keys.floor;
  rules.shares = keys.shares;
  rules.baseline = keys.baseline.active();
  return rules;
}

// The oracle learns from numbers of size about 1.
void scale_features(const CcbKeys& keys, Plan& plan) {
  using Scales = UnitFeatures::Scales;
  const Scales scales = !keys.scales_settle                ? Scales::kFirst
                        : has_constant(keys.plan.oracle) ? Scales::kCentred
                                                           : Scales::kSettled;
  plan.oracle = std::make_unique<UnitFeatures>(std::move(plan.oracle), plan.shape, scales);
}

std::unique_ptr<AutoTuning> make_tuning(const CcbKeys& keys, const Plan& plan, const Rules& rules,
                                        const Parts& parts) {
  AutoTuning::Options options{
      .optimism = keys.optimism,
      .certifies = !keys.plan.u,
      .prior = keys.prior,
      .shares = keys.shares,
      .has_shared_part = keys.shared && SharedPart::fits(plan.shape),
      .waits_apart = keys.waits_apart,
      .owns_noise = keys.owns_noise};
  options.prior.paced = plan.shape.paced;
  options.prior.memory = rein::plain(*parts.oracle).abilities().memory();
  return std::make_unique<AutoTuning>(
      plan.shape, rules.terms, parts, keys.rehearses_own ? *parts.explorer : gap_weighting(),
      std::move(options));
}

// What the policy does besides, in the order in which it is asked.
void add_extras(const CcbKeys& keys, const Plan& plan, const Rules& rules, Parts& parts) {
  std::unique_ptr<AutoTuning> tuning;
  if (keys.adaptive) tuning = make_tuning(keys, plan, rules, parts);
  const Prior* prior = tuning ? &tuning->prior() : nullptr;
  const SharedPart* shared = tuning ? tuning->shared() : nullptr;
  if (keys.alarm && Watch::fits(plan.shape)) {
    parts.extras.push_back(std::make_unique<Watch>(plan.shape, *parts.oracle, prior, shared));
  }
  if (tuning) parts.extras.push_back(std::move(tuning));
  if (keys.tries > 0.0) {
    parts.extras.push_back(std::make_unique<Tries>(plan.shape, rules.terms, keys.tries, prior,
                                                   &rein::plain(*parts.oracle)));
  }
  if (keys.certify) {
    parts.extras.push_back(
        std::make_unique<Certifier>(plan.shape, caps_of(rules.terms), rules.terms.paced));
  }
}

}  // namespace

// The race of linear functions with curves. Without features of actions every action has factors of
// its own. Where they would be large, only the linear ones are kept.
Spec usual_class(const Shape& shape) {
  const double sets = shape.features > 0 ? 1.0 : shape.actions;
  const double numbers = (shape.context + 1.0) * (shape.features + 1.0) + kCurves;
  const bool fits = sets * numbers * numbers / 2.0 <= kMostRaced;
  return fits ? Spec("auto") : parse_spec("vaw(memory=auto)").value();
}

Result<std::unique_ptr<Policy>> make_ccb(const Spec& spec, const Shape& shape, const Own& own) {
  if (has_goal(spec)) return make_toward(spec, shape, own, make_ccb);
  auto checked = CcbKeys::checked(spec, shape);
  if (!checked) return checked.failure();
  const CcbKeys& keys = checked.value();

  const bool totals = !keys.adaptive && !(keys.anytime && keys.setting == "pacing");
  auto planned = make_plan(keys.plan, shape, parse_setting(keys.setting).value(),
                           /*reward_only=*/false, own, totals);
  if (!planned) return planned.failure();
  Plan& plan = planned.value();
  if (keys.adaptive && learns_features(keys.plan.oracle)) scale_features(keys, plan);
  auto made_rules = make_rules(keys, plan);
  if (!made_rules) return made_rules.failure();
  const Rules& rules = made_rules.value();

  const Spec pricer =
      keys.has_pricer ? keys.pricer : usual_pricer(rules.terms, keys.adaptive, keys.owns_noise);
  auto made =
      make_parts(std::move(plan.oracle), {pricer, keys.gain, keys.explorer}, rules.terms, own);
  if (!made) return made.failure();
  Parts& parts = made.value();
  parts.floor = floor_of(keys.floor, rules.terms, plan.shape);
  parts.baseline = keys.baseline;
  add_extras(keys, plan, rules, parts);
  return std::make_unique<Composed>(spec, plan.shape, std::move(parts), rules);
}

Spec with_ccb_defaults(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  const CcbKeys keys(read, shape);
  Spec out = spec;
  const auto add = [&](const char* key, SpecValue value) {
    if (spec.find(key) == nullptr) out.set(key, std::move(value));
  };
  out.set("oracle", {.is = keys.plan.oracle});
  std::erase_if(out.options, [](const auto& option) {  // these are in there
    return option.first == "memory" || option.first == "challengers";
  });
  add("setting", {.is = Spec(keys.setting)});
  add("gain", {.is = keys.gain});
  add("prior", {.is = Spec(keys.prior.pooled ? "pooled" : "none")});
  add("alarm", {.is = keys.alarm ? 1.0 : 0.0});
  add("tries", {.is = keys.tries});
  return out;
}

}  // namespace rein
