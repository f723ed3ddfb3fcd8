// rein evaluate: what policies would have earned and spent on a log of another policy.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <memory>
#include <thread>

#include "base/math.h"
#include "base/text_number.h"
#include "evaluate_table.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "rein/log_rows.h"
#include "rein/policy_values.h"
#include "streams.h"
#include "target_file.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct EvaluateWords {
  std::string log;
  std::vector<std::string> policies, targets, budgets, at_least, at_most, ranges;
  std::string rounds;
  double train = 0.5;
  double quantile = 0.0;
  double sensitivity = 0.0;
  bool frozen = false;
  bool sequence = false;
  bool all = false;
  int threads = 0;
  int folds = 5;
  std::uint64_t seed = 1;
  std::string adaptive = "auto";
  std::string format = "auto";
  OutputWords output;
};

std::atomic<bool> interrupted{false};
void interrupt(int) { interrupted = true; }

// NAME=TEXT of an option, with NAME among the heads from `first` on.
std::pair<int, std::string> named_head(const std::string& option, const std::string& text,
                                       const std::vector<std::string>& heads, std::size_t first,
                                       const char* accepted) {
  const std::size_t split = text.rfind('=');
  if (split == std::string::npos || split == 0) {
    throw UsageError(fmt::format("{}: found \"{}\"; accepted: {}", option, text, accepted));
  }
  std::string names;
  for (std::size_t h = first; h < heads.size(); ++h) {
    if (heads[h] == text.substr(0, split)) return {static_cast<int>(h), text.substr(split + 1)};
    names += (names.empty() ? "" : ", ") + heads[h];
  }
  throw UsageError(fmt::format("{}: the log has no {} \"{}\"; accepted: {}", option,
                               first == 0 ? "head" : "cost", text.substr(0, split),
                               names.empty() ? "none, it has no costs" : names));
}

double amount_of(const std::string& option, const std::string& text) {
  double value = 0.0;
  if (to_number(text, value)) return value;
  throw UsageError(fmt::format("{}: found \"{}\"; accepted: a number", option, text));
}

void add_limits(const EvaluateWords& words, const std::vector<std::string>& heads,
                PolicyValuesOptions& options) {
  const auto add = [&](const std::string& option, const std::string& text, bool at_least) {
    const auto [head, amount] = named_head(option, text, heads, 1, "NAME=AMOUNT, per round");
    options.limits.push_back(
        {.head = head, .amount = amount_of(option, amount), .at_least = at_least});
  };
  for (const std::string& text : words.at_most) add("--at-most", text, false);
  for (const std::string& text : words.at_least) add("--at-least", text, true);
}

LearnerOptions learner_of(const EvaluateWords& words, const std::vector<std::string>& heads) {
  LearnerOptions out{.heads = heads, .seed = words.seed};
  if (!words.budgets.empty()) out.budgets.assign(heads.size() - 1, kNan);
  for (const std::string& text : words.budgets) {
    const auto [head, amount] = named_head("--budget", text, heads, 1, "NAME=AMOUNT, per round");
    out.budgets[static_cast<std::size_t>(head) - 1] = amount_of("--budget", amount);
  }
  if (!words.ranges.empty()) out.ranges.assign(heads.size(), {kNan, kNan});
  for (const std::string& text : words.ranges) {
    const auto [head, ends] = named_head("--range", text, heads, 0, "NAME=LOW:HIGH");
    const std::size_t colon = ends.find(':');
    if (colon == std::string::npos) {
      throw UsageError(fmt::format("--range: found \"{}\"; accepted: NAME=LOW:HIGH", text));
    }
    const double low = amount_of("--range", ends.substr(0, colon));
    const double high = amount_of("--range", ends.substr(colon + 1));
    if (!(low < high)) {
      throw UsageError(fmt::format("--range: found {}:{}; accepted: LOW below HIGH", low, high));
    }
    out.ranges[static_cast<std::size_t>(head)] = {low, high};
  }
  return out;
}

PolicyValuesOptions options_of(const EvaluateWords& words, const LogRows& log) {
  PolicyValuesOptions options{.policies = words.policies,
                              .learner = learner_of(words, log.heads),
                              .actions = log.actions,
                              .quantile = words.quantile,
                              .frozen = words.frozen,
                              .train = words.train,
                              .sequence = words.sequence,
                              .sensitivity = words.sensitivity};
  if (!words.rounds.empty()) {
    options.rounds = whole_number("--rounds", words.rounds, 1, kMaxHorizon);
  }
  options.fit.folds = words.folds;
  options.fit.threads = words.threads > 0
                            ? words.threads
                            : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.value.adaptive = words.adaptive == "yes"  ? Adaptive::kYes
                           : words.adaptive == "no" ? Adaptive::kNo
                                                    : Adaptive::kAuto;
  add_limits(words, log.heads, options);
  return options;
}

int evaluate_verb(const EvaluateWords& words) {
  check_output(words.output, {{"LOG", words.log}});
  if (words.policies.empty() && words.targets.empty()) {
    throw UsageError("evaluate: found no policy; accepted: --policy POLICY or --target FILE");
  }
  Log read = read_from(read_log(words.log, {.format = typed(log_format(words.format))}));
  if (read.report.refused > 0) complain(read.report.str());
  const std::vector<std::int64_t> lines = read.line;
  const LogRows log = typed(log_rows(std::move(read)));
  PolicyValuesOptions options = options_of(words, log);
  for (const std::string& path : words.targets) {
    const bool own = same_file(path, words.log);
    options.given.push_back(
        read_target(path, log.actions, log.view().rows, own ? lines : std::vector<std::int64_t>()));
  }
  const auto before = std::signal(SIGINT, interrupt);
  PolicyValues found;
  {
    Progress bar;
    options.learner.progress = [&](double share) {
      bar.show(static_cast<std::int64_t>(share * 1000.0), 1000);
      return !interrupted;
    };
    found = typed(policy_values(log.view(), options));
  }
  std::signal(SIGINT, before);
  hand_over(words.output, to_value(found).str(), std::nullopt,
            [&] { print_values(found, words.all); });
  return kOk;
}

constexpr const char* kExamples =
    "POLICY is one of:\n"
    "  logged               what the log did\n"
    "  uniform              every action alike\n"
    "  action(NAME)         always this action\n"
    "  mix(NAME=SHARE,..)   fixed probabilities\n"
    "  SPEC                 of `rein list`, such as squarecb or ccb. It learns while it is "
    "replayed\n"
    "                       on the log; with --frozen it learns the first half of the log and is\n"
    "                       evaluated on the rest.\n"
    "Several policies: differences to the first are paired by row, so put the baseline first.\n"
    "A CSV log has columns x_* (context), a (action), p (its probability), r (reward) and c or\n"
    "c_NAME (costs). docs/evaluate.md says what each number promises.\n"
    "\n"
    "Examples:\n"
    "  rein evaluate log.csv --policy logged --policy 'action(1)' --policy 'mix(0=0.3,1=0.7)'\n"
    "  rein evaluate log.csv --policy logged --policy ccb --budget dollars=0.2\n"
    "  rein evaluate log.csv --policy squarecb --frozen --at-most dollars=0.2\n"
    "  rein evaluate log.csv --target mine.csv --sequence --range reward=0:1 --json";

void add_options(CLI::App* verb, EvaluateWords& words) {
  verb->add_option("LOG", words.log, "file of past decisions")->required();
  verb->add_option("--policy", words.policies, "a policy; may be repeated")->type_name("POLICY");
  verb->add_option("--target", words.targets,
                   "CSV of a policy's probabilities: a column per action, a row per row of the log")
      ->type_name("FILE");
  verb->add_option("--budget", words.budgets,
                   "NAME=AMOUNT per round: budget of policies that keep one");
  verb->add_flag("--frozen", words.frozen, "train each SPEC on the first rows, evaluate the rest");
  verb->add_option("--train", words.train, "share of the rows that --frozen trains on [0.5]")
      ->check(number_from(1e-6, 1.0 - 1e-6));
  verb->add_option("--rounds", words.rounds, "horizon that a learning policy is told [chosen]");
  verb->add_option("--quantile", words.quantile,
                   "of propensities, below which replay is not exact [0: always exact]")
      ->check(number_from(0.0, 0.999));
  verb->add_option("--at-most", words.at_most, "NAME=AMOUNT: the reward if this cost is at most");
  verb->add_option("--at-least", words.at_least, "NAME=AMOUNT: the same for at least");
  verb->add_option("--range", words.ranges, "NAME=LOW:HIGH: where outcomes surely lie");
  verb->add_flag("--sequence", words.sequence, "intervals that hold at all times; needs --range");
  verb->add_option("--sensitivity", words.sensitivity,
                   "factor by which odds of propensities may be wrong [none; 1.5 if estimated]")
      ->check(number_from(1.0, 1e6));
  verb->add_flag("--all", words.all, "all estimators of all policies");
  verb->add_option("--adaptive", words.adaptive, "whether a learning policy made the log [auto]")
      ->check(CLI::IsMember({"auto", "yes", "no"}));
  verb->add_option("--folds", words.folds, "folds of the regressions [5]")
      ->check(number_from(2, 1000));
  verb->add_option("--threads", words.threads, "threads; they change no digit [all cores]")
      ->check(number_from(1, 4096));
  verb->add_option("--seed", words.seed, "seed of policies that learn [1]");
  verb->add_option("--format", words.format, "auto, csv, jsonl, dsjson, vw or rlog [auto]");
  verb->add_flag("--json", words.output.json, "print one JSON object");
}

}  // namespace

Verb add_evaluate(CLI::App& program) {
  auto words = std::make_shared<EvaluateWords>();
  CLI::App* verb = program.add_subcommand(
      "evaluate", "value of any policy, fixed, frozen or learning, from a log of decisions");
  add_options(verb, *words);
  verb->footer(kExamples);
  return [words] { return evaluate_verb(*words); };
}

}  // namespace rein::app
