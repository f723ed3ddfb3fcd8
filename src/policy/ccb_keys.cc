#include "policy/ccb_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "policy/ccb.h"
#include "policy/ranges.h"
#include "tuning/few_rounds.h"

namespace rein {
namespace {

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
Result<> check_declared(const CcbKeys& keys, const Shape& shape) {
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
Result<> check_scales(const CcbKeys& keys, const Shape& shape) {
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
Result<> check_paced(const CcbKeys& keys, const Shape& shape) {
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

}  // namespace

const char* CcbKeys::usual_setting(const Shape& shape) const {
  if (!knows_budget(plan, shape) && !shape.paced) return "expectation";
  return anytime && !plan.rates.empty() ? "pacing" : "knapsack";
}

void CcbKeys::choose_oracle(SpecReader& read, const Shape& shape) {
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
}

CcbKeys::CcbKeys(SpecReader& read, const Shape& shape)
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
  choose_oracle(read, shape);
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

Result<CcbKeys> CcbKeys::checked(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  CcbKeys keys(read, shape);
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
  return keys;
}

}  // namespace rein
