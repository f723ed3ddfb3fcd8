// rein evaluate: what policies would have earned and spent on a log of another policy.
#include <fmt/format.h>

#include <memory>

#include "base/math.h"
#include "engine/log_target.h"
#include "evaluate_table.h"
#include "numbers.h"
#include "offline_words.h"
#include "output.h"
#include "progress.h"
#include "rein/log_rows.h"
#include "rein/policy_values.h"
#include "saved_model.h"
#include "target_file.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct EvaluateWords {
  OfflineWords offline;
  std::vector<std::string> policies, targets, budgets, ranges;
  std::string rounds;
  double train = 0.5;
  double quantile = 0.0;
  double sensitivity = 0.0;
  bool frozen = false;
  bool sequence = false;
  bool all = false;
  std::string title;
  OutputWords output;
};

LearnerOptions learner_of(const EvaluateWords& words, const std::vector<std::string>& heads) {
  LearnerOptions out{.heads = heads, .seed = words.offline.seed};
  if (!words.budgets.empty()) out.budgets.assign(heads.size() - 1, kNan);
  for (const std::string& text : words.budgets) {
    const auto [head, amount] = named_head("--budget", text, heads, 1, "NAME=AMOUNT, per round");
    out.budgets[static_cast<std::size_t>(head) - 1] = finite_number("--budget", amount);
  }
  if (!words.ranges.empty()) out.ranges.assign(heads.size(), {kNan, kNan});
  for (const std::string& text : words.ranges) {
    const auto [head, ends] = named_head("--range", text, heads, 0, "NAME=LOW:HIGH");
    const auto [low, high] = ends_of("--range", ends);
    out.ranges[static_cast<std::size_t>(head)] = {low, high};
  }
  return out;
}

// Cuts a list of policies at the commas that are outside of brackets and quotes. A text whose
// brackets or quotes do not close, as in the name of an action, stays one policy.
std::vector<std::string> policies_of(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts) {
    std::vector<std::string> parts(1);
    int depth = 0;
    bool quoted = false;
    for (const char c : text) {
      if (c == '"') quoted = !quoted;
      if (!quoted && (c == '(' || c == '[')) ++depth;
      if (!quoted && (c == ')' || c == ']')) --depth;
      if (c == ',' && !quoted && depth == 0) {
        parts.emplace_back();
      } else if (c != ' ' || !parts.back().empty()) {
        parts.back() += c;
      }
    }
    if (quoted || depth != 0) parts = {text};
    out.insert(out.end(), parts.begin(), parts.end());
  }
  return out;
}

PolicyValuesOptions options_of(const EvaluateWords& words, const LogRows& log) {
  PolicyValuesOptions options{.learner = learner_of(words, log.heads),
                              .actions = log.actions,
                              .quantile = words.quantile,
                              .frozen = words.frozen,
                              .train = words.train,
                              .sequence = words.sequence,
                              .sensitivity = words.sensitivity};
  if (!words.rounds.empty()) {
    options.rounds = whole_number("--rounds", words.rounds, 1, kMaxHorizon);
  }
  set_fit(words.offline, options.fit);
  options.value.adaptive = adaptive_of(words.offline);
  options.limits = limits_of(words.offline, log.heads);
  return options;
}

// file(PATH): a saved model as it is. Takes these policies out of the list.
std::vector<GivenPolicy> saved_policies(const Log& log, std::vector<std::string>& policies) {
  constexpr std::string_view kStart = "file(";
  std::vector<GivenPolicy> out;
  const int actions = std::max(log.most_actions(), static_cast<int>(log.names.actions.size()));
  std::erase_if(policies, [&](const std::string& text) {
    if (!text.starts_with(kStart) || !text.ends_with(')')) return false;
    std::string path = text.substr(kStart.size(), text.size() - kStart.size() - 1);
    if (path.size() > 1 && path.front() == '"' && path.back() == '"') path = path.substr(1, path.size() - 2);
    auto target = log_target(load_model(path), log, actions);
    if (!target) throw UsageError(fmt::format("--policy {}: {}", text, target.error()));
    out.push_back({.name = text, .target = std::move(target).value()});
    return true;
  });
  return out;
}

int evaluate_verb(const EvaluateWords& words, const std::string& command) {
  check_output(words.output, {{"LOG", words.offline.log}});
  if (words.policies.empty() && words.targets.empty()) {
    throw UsageError("evaluate: found no policy; accepted: --policy POLICY or --target FILE");
  }
  Log read = read_offline(words.offline);
  const std::vector<std::int64_t> lines = read.line;
  std::vector<std::string> policies = policies_of(words.policies);
  std::vector<GivenPolicy> saved = saved_policies(read, policies);
  const LogRows log = typed(log_rows(std::move(read)));
  PolicyValuesOptions options = options_of(words, log);
  options.policies = std::move(policies);
  options.given = std::move(saved);
  for (const std::string& path : words.targets) {
    const bool own = same_file(path, words.offline.log);
    options.given.push_back(
        read_target(path, log.actions, log.view().rows, own ? lines : std::vector<std::int64_t>()));
  }
  PolicyValues found;
  {
    Progress bar(Progress::kShare);
    options.learner.progress = [&](double share) {
      bar.show(static_cast<std::int64_t>(share * 1000.0), 1000);
      return go_on();
    };
    found = typed(policy_values(log.view(), options));
  }
  std::string asked = about_columns(words.offline, log.view());
  if (!asked.empty()) found.warnings.push_back(std::move(asked));
  const std::string note = about_learners(words.offline, log.view(), found.adaptive);
  if (!words.output.report.empty()) {
    found.title = words.title.empty() ? fmt::format("rein evaluate: {}", words.offline.log) : words.title;
    found.command = command;
  }
  hand_over(words.output, to_value(found).str(), std::nullopt,
            [&] { print_values(found, words.all, note); });
  return kOk;
}

constexpr const char* kEvaluateExamples =
    "POLICY is one of:\n"
    "  logged               what the log did\n"
    "  uniform              every action alike\n"
    "  action(NAME)         always this action\n"
    "  mix(NAME=SHARE,..)   fixed probabilities\n"
    "  SPEC                 of `rein list`, such as squarecb or ccb. It learns while it is "
    "replayed\n"
    "                       on the log; with --frozen it learns the first half of the log and is\n"
    "                       evaluated on the rest.\n"
    "  file(PATH)           a model that train --save or whatif --save-policy wrote, as it is; its value\n"
    "                       is too high on the rows that it learned from\n"
    "Several policies: differences to the first are paired by row, so put the baseline first.\n"
    "A CSV log has columns x_* (context), a (action), p (its probability), r (reward) and c or\n"
    "c_NAME (costs). docs/evaluate.md says what each number promises.\n"
    "\n"
    "Examples:\n"
    "  rein evaluate log.csv --policy logged --policy 'action(1)' --policy 'mix(0=0.3,1=0.7)'\n"
    "  rein evaluate log.csv --policy logged,ccb,squarecb --budget dollars=0.2\n"
    "  rein evaluate log.csv --policy squarecb --frozen --at-most dollars=0.2\n"
    "  rein evaluate log.csv --policy 'action(none)' --policy 'file(half.rein)' --report page.html\n"
    "  rein evaluate log.csv --target mine.csv --sequence --range reward=0:1 --json";

void add_options(CLI::App* verb, EvaluateWords& words) {
  add_offline_words(*verb, words.offline, "Seed of policies that learn [1]");
  one_each(verb->add_option("--policy,--policies", words.policies,
                            "One or more policies, separated by commas or repeated"))
      ->type_name("POLICY");
  one_each(verb->add_option("--target", words.targets,
                            "CSV of a policy's probabilities: a column per action, a row per row "
                            "of the log"))
      ->type_name("FILE");
  one_each(verb->add_option("--budget", words.budgets,
                            "NAME=AMOUNT per round: budget of policies that keep one"));
  verb->add_flag("--frozen", words.frozen, "Train each SPEC on the first rows, evaluate the rest");
  verb->add_option("--train", words.train, "Share of the rows that --frozen trains on [0.5]")
      ->check(number_from(1e-6, 1.0 - 1e-6));
  verb->add_option("--rounds", words.rounds, "Horizon that a learning policy is told [chosen]");
  verb->add_option("--quantile", words.quantile,
                   "Of propensities, below which replay is not exact [0: always exact]")
      ->check(number_from(0.0, 0.999));
  one_each(verb->add_option("--range", words.ranges, "NAME=LOW:HIGH: where outcomes surely lie"));
  verb->add_flag("--sequence", words.sequence, "Intervals that hold at all times; needs --range");
  verb->add_option("--sensitivity", words.sensitivity,
                   "Factor by which odds of propensities may be wrong [none; 1.5 if estimated]")
      ->check(number_from(1.0, kMostLambda));
  verb->add_flag("--all", words.all, "All estimators of all policies");
  add_report(*verb, words.output);
  verb->add_option("--title", words.title, "Title of the report [rein evaluate: LOG]");
  verb->add_flag("--json", words.output.json, "Print one JSON object");
}

}  // namespace

Verb add_evaluate(CLI::App& program, const std::vector<std::string>& typed_words) {
  auto words = std::make_shared<EvaluateWords>();
  CLI::App* verb = program.add_subcommand(
      "evaluate", "value of any policy, fixed, frozen or learning, from a log of decisions");
  add_options(verb, *words);
  verb->footer(kEvaluateExamples);
  return [words, typed_words] {
    return stoppable("evaluate", [&] { return evaluate_verb(*words, command_line(typed_words)); });
  };
}

}  // namespace rein::app
