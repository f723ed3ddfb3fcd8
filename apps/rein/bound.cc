// rein bound: prints what the theorem guarantees, without running anything.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/json.h"
#include "numbers.h"
#include "rein/bounds.h"
#include "rein/oracle.h"
#include "table.h"
#include "verbs.h"

namespace rein::app {
namespace {

// The same limits as in the policies.
constexpr double kLeastScale = 1e-12;
constexpr double kMostScale = 1e12;
constexpr double kLeastBudget = 1e-9;
constexpr double kMostU = 1e30;

struct BoundWords {
  std::string setting = "expectation";
  std::string k = "2";
  std::string rounds;
  std::string costs;
  std::vector<double> budgets;
  double u = 0.0;
  std::string oracle;
  std::string d;
  double margin = 0.0;
  double premise = -1.0;
  double misspecified = 0.0;
  double share = 0.99;
  double v_scale = 1.0;
  double lambda_scale = 1.0;
  double gamma_scale = 1.0;
  bool anytime = false;
  bool mean = false;
  bool json = false;
};

constexpr const char* kWithoutMargin =
    "Say --margin EPS if some choice keeps every cost EPS below 0 in every round. Regret, and CCV\n"
    "at every time, are then of order sqrt(KTU) / EPS. The policy need not know EPS.\n";

std::unique_ptr<Oracle> named_oracle(const BoundWords& words, const Terms& terms) {
  Shape shape;
  shape.actions = terms.actions;
  shape.costs.resize(static_cast<std::size_t>(terms.costs));
  const Spec spec = typed(parse_spec(words.oracle, "oracle spec"));
  const int d = static_cast<int>(whole_number("--d", words.d, 1, kMaxFeatures));
  const SpecValue* kind = spec.find("features");
  if (kind && kind->str() == "per_action") {
    shape.context = d;
  } else {
    shape.features = d;
  }
  return typed(make_oracle(spec, shape));
}

// U of every block of rounds, for a policy without a horizon.
std::vector<double> growth_of(const Oracle& oracle, std::int64_t rounds) {
  std::vector<double> growth;
  for (int j = 0; j < Terms::blocks(rounds); ++j) {
    growth.push_back(std::max(1.0, oracle.bound((std::int64_t{2} << j) - 1)));
  }
  return growth;
}

// Says in which settings a policy may do without a horizon.
void check_anytime(const BoundWords& words, Terms& terms) {
  if (terms.setting == Setting::kLinearConstraints) {
    throw UsageError(
        "setting linear_constraints needs the number of rounds; accepted with --anytime: "
        "expectation, slater, almost_sure, knapsack, pacing");
  }
  if (words.premise >= 0.0) {
    throw UsageError("--premise is for policies with a horizon; accepted: it, or --anytime");
  }
  terms.anytime = true;
  terms.rates = terms.budgets;
  for (double& rate : terms.rates) rate /= static_cast<double>(terms.rounds);
}

Terms terms_of(const BoundWords& words) {
  Terms terms;
  terms.setting = typed(parse_setting(words.setting));
  terms.actions = static_cast<int>(whole_number("--k", words.k, 1, kMaxActions));
  terms.rounds = whole_number("--rounds", words.rounds, 1, std::int64_t{1} << 53);
  const bool has_budget = terms.setting == Setting::kKnapsack ||
                          terms.setting == Setting::kLinearConstraints ||
                          terms.setting == Setting::kPacing;
  if (has_budget && words.budgets.empty()) {
    throw UsageError(fmt::format("setting {} needs --budget TOTAL (one per cost)", words.setting));
  }
  if (!has_budget && !words.budgets.empty()) {
    throw UsageError(
        fmt::format("setting {} has no budget; accepted with --budget: knapsack, "
                    "linear_constraints, pacing",
                    words.setting));
  }
  if (words.budgets.size() > static_cast<std::size_t>(kMaxCosts)) {
    throw UsageError(fmt::format("--budget: found {} numbers; accepted: at most {}",
                                 words.budgets.size(), kMaxCosts));
  }
  terms.budgets = Costs(std::span<const double>(words.budgets));
  terms.costs = words.costs.empty()
                    ? std::max(1, terms.budgets.size())
                    : static_cast<int>(whole_number("--costs", words.costs, 1, kMaxCosts));
  if (has_budget && terms.costs != terms.budgets.size()) {
    throw UsageError(fmt::format("--budget: found {} numbers; accepted: one per cost ({})",
                                 terms.budgets.size(), terms.costs));
  }
  if (words.margin > 0.0 && terms.setting != Setting::kSlater) {
    throw UsageError(
        fmt::format("setting {} uses no margin; accepted with --margin: slater", words.setting));
  }
  terms.v_scale = words.v_scale;
  terms.lambda_scale = words.lambda_scale;
  terms.gamma_scale = words.gamma_scale;
  if ((words.u > 0.0) == !words.oracle.empty()) {
    throw UsageError("one of --u NUMBER and --oracle SPEC --d FEATURES is needed");
  }
  if (words.oracle.empty() && !words.d.empty()) {
    throw UsageError("--d is given without --oracle; accepted: both, or --u alone");
  }
  if (!words.oracle.empty() && words.d.empty()) throw UsageError("--oracle needs --d FEATURES");
  if (words.anytime) check_anytime(words, terms);
  if (words.oracle.empty()) {
    terms.u = std::max(1.0, words.u);
    return terms;
  }
  const auto oracle = named_oracle(words, terms);
  terms.u = std::max(1.0, oracle->bound(terms.rounds));
  terms.errors = terms.errors_of_regret();
  if (!words.anytime) return terms;
  terms.growth = growth_of(*oracle, terms.rounds);
  return terms.after(terms.rounds);
}

std::string verdict(double bound, std::int64_t rounds) {
  return bound > static_cast<double>(rounds) ? "vacuous: above T" : "";
}

void add_each(TextTable& table, const std::string& name, const Costs& costs, std::int64_t rounds) {
  for (int i = 0; i < costs.size(); ++i) {
    const std::string which = costs.size() == 1 ? name : fmt::format("{}, cost {}", name, i + 1);
    table.add({which, brief(costs[i]), verdict(costs[i], rounds)});
  }
}

void print_for_people(const Terms& terms, const BoundOptions& options, const Bounds& bounds) {
  fmt::print("setting {}, K = {}, T = {}, m = {}, U = {}, sqrt(KTU) = {}\n", name_of(terms.setting),
             terms.actions, terms.rounds, terms.costs, brief(terms.u), brief(terms.root()));
  fmt::print("squared errors of each head at most {}; bounds of {}\n\n",
             brief(error_bound(terms, options)),
             options.delta == 0.0
                 ? std::string("means over runs")
                 : fmt::format("one run, with probability {}", 1.0 - options.delta));
  if (!bounds.regret) {
    fmt::print(
        "No bound follows: the exponential settings need multipliers of 1 and a long enough "
        "horizon.\n");
    return;
  }
  TextTable table({"quantity", "at most", ""});
  table.add({"regret", brief(*bounds.regret), verdict(*bounds.regret, terms.rounds)});
  add_each(table, "CCV", bounds.ccv, terms.rounds);
  if (bounds.regret_margin) {
    table.add({"regret, by the margin", brief(*bounds.regret_margin),
               verdict(*bounds.regret_margin, terms.rounds)});
  }
  add_each(table, "CCV at every time, by the margin", bounds.ccv_max, terms.rounds);
  add_each(table, "CCV, average over time", bounds.ccv_average, terms.rounds);
  add_each(table, fmt::format("CCV in {} % of rounds", 100.0 * options.share), bounds.ccv_share,
           terms.rounds);
  add_each(table, "Q+, root mean square over time", bounds.queue_rms, terms.rounds);
  fmt::print("{}", table.str());
  if (terms.anytime) {
    fmt::print("\nWithout a horizon: the policy does not know T, and this holds after any T rounds.\n");
  }
  if (terms.setting == Setting::kSlater && options.margin == 0.0 && !terms.anytime) {
    fmt::print("\n{}", kWithoutMargin);
  }
}

void print_json(const Terms& terms, const BoundOptions& options, const Bounds& bounds) {
  JsonWriter json;
  const auto list = [&](const char* key, const Costs& costs) {
    json.key(key).begin_array();
    for (double b : costs) json.value(b);
    json.end_array();
  };
  json.begin_object();
  json.key("setting").value(name_of(terms.setting));
  json.key("k").value(terms.actions);
  json.key("rounds").value(terms.rounds);
  json.key("u").value(terms.u);
  json.key("u_bound").value(error_bound(terms, options));
  json.key("probability")
      .value(options.delta == 0.0 ? std::numeric_limits<double>::quiet_NaN() : 1.0 - options.delta);
  json.key("bound_regret")
      .value(bounds.regret ? *bounds.regret : std::numeric_limits<double>::quiet_NaN());
  list("bound_ccv", bounds.ccv);
  json.key("margin").value(options.margin);
  json.key("bound_regret_margin")
      .value(bounds.regret_margin ? *bounds.regret_margin
                                  : std::numeric_limits<double>::quiet_NaN());
  list("bound_ccv_max", bounds.ccv_max);
  list("bound_ccv_average", bounds.ccv_average);
  list("bound_ccv_share", bounds.ccv_share);
  list("bound_queue_rms", bounds.queue_rms);
  json.end_object();
  fmt::print("{}\n", json.str());
}

int bound_verb(const BoundWords& words) {
  const Terms terms = terms_of(words);
  const BoundOptions options{.margin = words.margin,
                             .premise = words.premise,
                             .misspecified = words.misspecified,
                             .share = words.share,
                             .delta = words.mean ? 0.0 : kBoundDelta};
  const Bounds found = bounds(terms, options);
  if (words.json) {
    print_json(terms, options, found);
  } else {
    print_for_people(terms, options, found);
  }
  return kOk;
}

constexpr const char* kBoundExamples =
    "Settings:\n"
    "  expectation         some choice costs at most 0 on average, in every round\n"
    "  slater              some choice stays below 0 by --margin\n"
    "  almost_sure         some choice never costs more than 0\n"
    "  knapsack            a total --budget; costs are never negative\n"
    "  linear_constraints  a total --budget; costs of either sign, i.i.d. contexts\n"
    "  pacing              a total --budget, spent evenly\n"
    "\n"
    "Regret is compared with the best allowed choice; CCV is the sum of a cost above what is\n"
    "allowed. Bounds hold in one run with probability 0.95, in units (ranges within [-1, 1]). A\n"
    "bound above T says nothing yet and is called vacuous. docs/bounds.md has the formulas.\n"
    "\n"
    "With a margin EPS (setting slater), regret, and CCV at every time, are of order\n"
    "sqrt(KTU) / EPS: T^(1/2) instead of T^(3/4). For one cost and a long horizon, CCV is about\n"
    "sqrt(1 + 8 EPS) sqrt(KTU) / EPS, and regret about 8 sqrt(KTU) / EPS. The policy need not know\n"
    "EPS. A smaller --v-scale lowers the CCV and hardly changes the regret. docs/theory/slater.md\n"
    "has the proof.\n"
    "\n"
    "--anytime is for ccb(horizon=0,tuning=theory), which does not know the number of rounds: the\n"
    "same rates with larger constants. docs/theory/anytime.md has the proof.\n"
    "\n"
    "Examples:\n"
    "  rein bound --setting knapsack --k 10 --rounds 1e6 --budget 1000 --u 60\n"
    "  rein bound --setting expectation --k 8 --rounds 1e8 --oracle vaw --d 8\n"
    "  rein bound --setting slater --k 2 --rounds 1e9 --u 30 --margin 0.2\n"
    "  rein bound --setting slater --k 2 --rounds 1e9 --u 30 --margin 0.2 --v-scale 0.1";

}  // namespace

Verb add_bound(CLI::App& program) {
  auto words = std::make_shared<BoundWords>();
  CLI::App* verb = program.add_subcommand(
      "bound", "what the theorem guarantees for your numbers, without a run");
  verb->add_option("--setting", words->setting, "what is known about the costs, see below")
      ->capture_default_str();
  verb->add_option("--k", words->k, "largest number of actions in a round")->capture_default_str();
  verb->add_option("--rounds", words->rounds, "the horizon T, as 1000000 or 1e6")->required();
  verb->add_option("--costs", words->costs, "number of costs m [1, or the number of budgets]");
  verb->add_option("--budget", words->budgets, "total budgets, one per cost, separated by commas")
      ->delimiter(',')
      ->check(number_from(kLeastBudget, kMaxTotal));
  verb->add_option("--u", words->u,
                   "the oracle bound U: its squared error over all rounds, at least 1")
      ->check(number_from(kLeastScale, kMostU));
  verb->add_option("--oracle", words->oracle, "take U from this oracle instead (needs --d)");
  verb->add_option("--d", words->d, "number of features, for --oracle");
  verb->add_option("--margin", words->margin,
                   "Slater's margin EPS, in units: in every round some choice keeps every cost at "
                   "-EPS or less; for setting slater")
      ->check(number_from(0.0, 1.0));
  verb->add_option("--premise", words->premise,
                   "c of part (e): assume that regret averages at least -c sqrt(KTU)")
      ->check(number_from(0.0, kMostU));
  verb->add_option("--v-scale", words->v_scale, "multiplier of V [1]")
      ->check(number_from(kLeastScale, kMostScale));
  verb->add_option("--lambda-scale", words->lambda_scale, "multiplier of lambda [1]")
      ->check(number_from(kLeastScale, kMostScale));
  verb->add_option("--gamma-scale", words->gamma_scale, "multiplier of gamma [1]")
      ->check(number_from(kLeastScale, kMostScale));
  verb->add_option("--misspecified", words->misspecified,
                   "sum over rounds of the squared distance of the class to the truth, in units")
      ->check(number_from(0.0, kMostU));
  verb->add_option("--share", words->share, "share of rounds, for setting slater [0.99]")
      ->check(number_from(0.0, 0.999999));
  verb->add_flag("--anytime", words->anytime,
                 "for tuning=theory without a horizon: the policy does not know the rounds");
  verb->add_flag("--mean", words->mean,
                 "bounds on means over runs, if errors never exceed their bound");
  verb->add_flag("--json", words->json, "print one JSON object");
  verb->footer(kBoundExamples);
  return [words] { return bound_verb(*words); };
}

}  // namespace rein::app
