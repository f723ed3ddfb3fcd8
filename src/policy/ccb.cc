#include "policy/ccb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/size.h"
#include "base/tuned.h"
#include "base/units.h"
#include "estimate/abilities.h"
#include "estimate/optimistic.h"
#include "estimate/unit_features.h"
#include "explore/igw.h"
#include "policy/auto_tuning.h"
#include "policy/certifier.h"
#include "policy/composed.h"
#include "policy/plan.h"
#include "policy/ranges.h"
#include "policy/shares.h"
#include "policy/toward.h"
#include "policy/tries.h"
#include "policy/watch.h"
#include "tuning/few_rounds.h"

namespace rein {
namespace {

constexpr double kMostRaced = 1 << 21;  // numbers in the factors of the curves: 16 MiB
constexpr double kCurves = 32.0;        // of the kernel in the race

// Whether an oracle is the caller's own, or one of a pair is: nobody knows its certificate.
bool is_own(const Spec& oracle) {
  if (oracle.name == "own") return true;
  if (oracle.name != "pair") return false;
  return std::ranges::any_of(oracle.options, [](const auto& option) {
    const Spec* part = std::get_if<Spec>(&option.second.is);
    return part != nullptr && is_own(*part);
  });
}

// Whether an oracle adds optimism to its rewards itself.
bool is_optimistic(const Spec& oracle) {
  if (oracle.name != "pair") return oracle.name == "optimistic";
  const SpecValue* reward = oracle.find("reward");
  const Spec* of = reward == nullptr ? nullptr : std::get_if<Spec>(&reward->is);
  return of != nullptr && of->name == "optimistic";
}

// Whether an oracle says 0 about what it has not seen. The others know all, or have priors of
// their own.
bool needs_prior(const Spec& oracle) {
  if (oracle.name == "own" || oracle.name == "truth" || oracle.name == "finite") return false;
  return std::ranges::all_of(oracle.options, [](const auto& option) {
    const Spec* part = std::get_if<Spec>(&option.second.is);
    return part == nullptr || needs_prior(*part);
  });
}

// Whether it is one of these two, and nobody said how it counts what it does not know.
bool is_usual(const Spec& oracle) {
  if (oracle.find("forward") != nullptr) return false;
  const SpecValue* memory = oracle.find("memory");
  const Spec* word = memory == nullptr ? nullptr : std::get_if<Spec>(&memory->is);
  return oracle.name == "auto" || (oracle.name == "vaw" && word != nullptr && word->name == "auto");
}

// The same, told how many rounds per feature there are.
Spec usual_oracle(Spec oracle, std::int64_t rounds, const Shape& shape) {
  const double forward = forward_share(rounds, shape);
  if (forward < 1.0) oracle.set("forward", {.is = forward});
  return oracle;
}

// Every key of ccb, as given.
struct Keys {
  explicit Keys(SpecReader& read, const Shape& shape)
      : plan(read, PlanKeys::Classes::kTwo),
        adaptive(read.word("tuning", "auto", {"auto", "theory"}) == "auto"),
        horizon(read.flag("horizon", true)),
        anytime(!adaptive && (!horizon || (plan.rounds == 0 && shape.rounds == 0))),
        setting(read.word(
            "setting", usual_setting(shape),
            {"expectation", "slater", "almost_sure", "knapsack", "linear_constraints", "pacing"})),
        prior{.pooled = read.word("prior", needs_prior(plan.oracle) ? "pooled" : "none",
                                  {"none", "pooled"}) == "pooled",
              .declared = read.numbers("expected_costs"),
              .weight = read.number("expected_weight", 5.0, {.above = 0.0, .high = 1e9})},
        shared(read.flag("shared", true) && prior.pooled),
        alarm(read.flag("alarm", adaptive && !is_own(plan.oracle) && shape.unknown().empty())),
        certify(read.flag("certify", false)),
        has_pricer(read.has("pricer")),
        pricer(read.spec("pricer", "quadratic")),
        gain(read.spec("gain", adaptive ? "noise" : "theory")),
        explorer(read.spec("explorer", "igw")),
        floor(read.number("floor", 0.0, {.low = 0.0, .high = 1.0})),
        shares(read, shape),
        baseline(read, shape) {
    if (baseline.active() && shares.active()) {
      read.refuse("a baseline and shares are both given; accepted: one of them");
    }
    for (const char* key : {"at_least", "at_most", "maximize", "minimize"}) read.value(key);
    const bool given = read.has("oracle") || read.has("reward_oracle") || read.has("cost_oracle");
    if (adaptive && (!given || is_usual(plan.oracle))) {
      if (!given) plan.oracle = usual_class(shape);
      plan.oracle = usual_oracle(plan.oracle,
                                 !horizon          ? 0
                                 : plan.rounds > 0 ? plan.rounds
                                                   : shape.rounds,
                                 shape);
    }
    if (const SpecValue* memory = read.value("memory"); memory != nullptr && !given) {
      plan.oracle.set("memory", *memory);
    } else if (memory != nullptr) {
      read.refuse("memory and an oracle are both given; accepted: the memory as an option of the oracle");
    }
    // Another oracle says so itself.
    const bool sparse = read.word("challengers", "sparse", {"every", "sparse"}) == "sparse";
    if (!sparse && !given && plan.oracle.name == "auto") {
      plan.oracle.set("challengers", {.is = Spec("every")});
    }
    const Limits scale{.low = kMinScale, .high = kMaxScale};
    v_scale = read.number("v_scale", 1.0, scale);
    lambda_scale = read.number("lambda_scale", 1.0, scale);
    gamma_scale = read.number("gamma_scale", 1.0, scale);
    optimism = read.number("optimism", 1.0, {.low = 0.0, .high = 100.0});
    tries = read.number("tries", adaptive ? 5.0 : 0.0, {.low = 0.0, .high = 1e6});
    scales_settle = read.word("scales", "median", {"first", "median"}) == "median";
    prior.features = read.word("new_features", "mean", {"free", "mean"}) == "mean";
    owns_noise = read.word("noises", "own", {"own", "pooled"}) == "own";
    rehearses_own = read.word("rehearsed", "own", {"igw", "own"}) == "own";
    waits_apart = read.word("waits", "each", {"first", "each"}) == "each";
  }
  // A rate is no total where nobody knows the number of rounds.
  const char* usual_setting(const Shape& shape) const {
    if (!knows_budget(plan, shape) && !shape.paced) return "expectation";
    return anytime && !plan.rates.empty() ? "pacing" : "knapsack";
  }

  PlanKeys plan;
  bool adaptive;
  bool horizon;
  bool anytime;  // tuning=theory without a horizon
  std::string setting;
  Prior::Options prior;
  bool shared;
  bool alarm;
  bool certify;
  bool has_pricer;
  Spec pricer;
  Spec gain;
  Spec explorer;
  double floor;
  Shares shares;
  Baseline baseline;
  double v_scale, lambda_scale, gamma_scale, optimism, tries;
  bool scales_settle;  // again after the first rounds, or the first round sets them for good
  bool owns_noise;     // every action, of its costs
  bool rehearses_own;  // explorer, or inverse gap weighting in its place
  bool waits_apart;    // of every head, or that of the first part for all
};

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

// A total and a rate together say how many rounds the budget must last.
Result<> settle_both(PlanKeys& keys) {
  if (keys.budgets.empty() || keys.rates.empty()) return {};
  const double rounds = std::round(keys.budgets[0] / keys.rates[0]);
  bool agree = keys.budgets.size() == keys.rates.size() && rounds >= 1.0 &&
               rounds <= static_cast<double>(kMaxHorizon);
  for (std::size_t i = 0; agree && i < keys.rates.size(); ++i) {
    agree = std::abs(keys.budgets[i] - keys.rates[i] * rounds) <= 0.01 * std::abs(keys.budgets[i]);
  }
  if (!agree) {
    return Error{
        "policy spec: \"budget\" and \"rate\" together say how long a budget lasts, and these do "
        "not "
        "agree; accepted: budget = rate x rounds for every cost"};
  }
  if (keys.rounds == 0) keys.rounds = static_cast<std::int64_t>(rounds);
  keys.rates.clear();
  return {};
}

// Declared costs: one per action, or with several costs those of action 0, of action 1, ...
Result<> check_declared(const Keys& keys, const Shape& shape) {
  const std::vector<double>& declared = keys.prior.declared;
  if (declared.empty()) return {};
  if (!keys.adaptive) {
    return Error{
        "policy spec: tuning=theory learns every cost; accepted: expected_costs with "
        "tuning=auto"};
  }
  const std::size_t costs = shape.costs.size();
  if (declared.size() != as_size(shape.actions) * costs) {
    return Error{fmt::format(
        "policy spec: key \"expected_costs\" has {} numbers; accepted: one per action and cost "
        "({} actions, {} costs)",
        declared.size(), shape.actions, costs)};
  }
  for (std::size_t j = 0; j < declared.size(); ++j) {
    const Range& range = shape.expected_range(j % costs);
    if (declared[j] >= range.low && declared[j] <= range.high) continue;
    return Error{fmt::format("policy spec: key \"expected_costs\" has {} at {}; accepted: {} to {}",
                             declared[j], j, range.low, range.high)};
  }
  return {};
}

// Where a range is not known, every part must learn its scale.
Result<> check_scales(const Keys& keys, const Shape& shape) {
  if (shape.unknown().empty()) return {};
  if (!keys.adaptive) return needs_range("tuning=theory", shape, "tuning=auto");
  if (keys.alarm) return needs_range("the alarm", shape, "alarm=0");
  if (keys.baseline.active() && !shape.reward.known()) {
    return needs_range("a baseline", shape, "none");
  }
  if (keys.has_pricer && keys.pricer.name != "predicted" && keys.pricer.name != "none") {
    return needs_range("pricer " + keys.pricer.name, shape, "the usual pricer");
  }
  if (keys.gain.name != "noise") {
    return needs_range("gain " + keys.gain.name, shape, "the usual gain");
  }
  return check_oracle_range(keys.plan.oracle, shape);
}

// With budgets that are kept elsewhere, the price must follow the paces they give.
Result<> check_paced(const Keys& keys, const Shape& shape) {
  if (!shape.paced) return {};
  if (knows_budget(keys.plan, shape)) {
    return Error{
        "policy spec: the policy has a budget or rate of its own, and there are others that steer; "
        "accepted: one of the two"};
  }
  const bool follows = keys.adaptive && (!keys.has_pricer || keys.pricer.name == "predicted") &&
                       has_budget(parse_setting(keys.setting).value());
  if (follows) return {};
  return Error{
      "policy spec: budgets that steer need a price that follows them; accepted: tuning=auto with "
      "its own pricer, in a setting with a budget"};
}

// The budget per round, in units: what tuning=auto aims at.
Result<Costs> rates_of(const Keys& keys, const Plan& plan) {
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
  SpecReader read(spec, "policy spec");
  if (has_goal(spec)) return make_toward(spec, shape, own, make_ccb);
  Keys keys(read, shape);
  if (keys.anytime && keys.setting == "linear_constraints") {
    read.refuse(
        "setting linear_constraints needs the number of rounds: its total budget is per round; "
        "accepted: rounds=N, or setting=pacing with rate=PER_ROUND");
  }
  if (keys.anytime && keys.floor > 0.0) {
    read.refuse("tuning=theory takes a floor only with a number of rounds; accepted: rounds=N");
  }
  if (auto done = read.finish(); !done) return done.failure();
  if (is_optimistic(keys.plan.oracle)) keys.optimism = 0.0;
  if (auto fits = check_declared(keys, shape); !fits) return fits.failure();
  if (auto fits = check_paced(keys, shape); !fits) return fits.failure();
  if (auto fits = check_scales(keys, shape); !fits) return fits.failure();
  if (keys.adaptive) {
    if (auto settled = settle_both(keys.plan); !settled) return settled.failure();
  }

  auto planned = make_plan(keys.plan, shape, parse_setting(keys.setting).value(),
                           /*reward_only=*/false, own,
                           /*totals=*/!keys.adaptive && !(keys.anytime && keys.setting == "pacing"));
  if (!planned) return planned.failure();
  Plan& plan = planned.value();
  if (keys.adaptive && learns_features(keys.plan.oracle)) {
    using Scales = UnitFeatures::Scales;
    const Scales scales = !keys.scales_settle                ? Scales::kFirst
                          : has_constant(keys.plan.oracle) ? Scales::kCentred
                                                             : Scales::kSettled;
    plan.oracle = std::make_unique<UnitFeatures>(std::move(plan.oracle), plan.shape, scales);
  }
  Rules rules(plan.terms);
  rules.terms.v_scale = keys.v_scale;
  rules.terms.lambda_scale = keys.lambda_scale;
  rules.terms.gamma_scale = keys.gamma_scale;
  if (keys.anytime) {
    if (auto grown = set_anytime(keys.plan, plan, rules); !grown) return grown.failure();
  } else if (!keys.adaptive) {
    rules.terms.errors = errors_of(keys.plan, plan);
  }
  rules.theorem = !keys.adaptive && keys.gain.name == "theory" && keys.explorer.name == "igw" &&
                  !keys.has_pricer && keys.floor == 0.0 && keys.tries == 0.0 &&
                  !keys.shares.active() && !keys.baseline.active();
  if (keys.adaptive) {
    auto rates = rates_of(keys, plan);
    if (!rates) return rates.failure();
    rules.rate = rules.terms.rates = rates.value();
    if (!keys.horizon || shape.paced) rules.terms.rounds = 0;
    rules.terms.paced = keys.prior.paced = shape.paced;
  } else if (keys.anytime && rules.terms.setting == Setting::kPacing) {
    auto rates = rates_of(keys, plan);
    if (!rates) return rates.failure();
    rules.rate = rules.terms.rates = rates.value();
  } else if (rules.terms.setting == Setting::kPacing) {
    rules.rate = rules.terms.budgets;
    for (double& rate : rules.rate) rate /= static_cast<double>(rules.terms.rounds);
  }
  const Spec pricer = keys.has_pricer ? keys.pricer : usual_pricer(rules.terms, keys.adaptive, keys.owns_noise);
  auto made =
      make_parts(std::move(plan.oracle), {pricer, keys.gain, keys.explorer}, rules.terms, own);
  if (!made) return made.failure();
  Parts& parts = made.value();
  parts.floor = floor_of(keys.floor, rules.terms, plan.shape);
  rules.floor = keys.floor;
  rules.shares = keys.shares;
  parts.baseline = keys.baseline;
  rules.baseline = keys.baseline.active();
  std::unique_ptr<AutoTuning> tuning;
  const Oracle& unhoped = rein::plain(*parts.oracle);  // without optimism
  if (keys.adaptive) {
    const bool certify = !keys.plan.u;
    if (certify) rules.start.u = 1.0;
    keys.prior.memory = unhoped.abilities().memory();
    tuning = std::make_unique<AutoTuning>(plan.shape, rules.terms, *parts.oracle, *parts.gain,
                                          keys.rehearses_own ? *parts.explorer : gap_weighting(),
                                          keys.optimism, certify, parts.floor, keys.prior,
                                          keys.shares, keys.shared && SharedPart::fits(plan.shape),
                                          keys.waits_apart, keys.owns_noise);
  }
  if (keys.alarm && Watch::fits(plan.shape)) {
    const Prior* known = tuning ? &tuning->prior() : nullptr;
    const SharedPart* shared = tuning ? tuning->shared() : nullptr;
    parts.extras.push_back(std::make_unique<Watch>(plan.shape, *parts.oracle, known, shared));
  }
  const Prior* prior = tuning ? &tuning->prior() : nullptr;
  if (tuning) parts.extras.push_back(std::move(tuning));
  if (keys.tries > 0.0) {
    parts.extras.push_back(
        std::make_unique<Tries>(plan.shape, rules.terms, keys.tries, prior, &unhoped));
  }
  if (keys.certify) {
    parts.extras.push_back(
        std::make_unique<Certifier>(plan.shape, caps_of(rules.terms), rules.terms.paced));
  }
  return std::make_unique<Composed>(spec, plan.shape, std::move(parts), rules);
}

Spec with_ccb_defaults(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  const Keys keys(read, shape);
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
