// rein whatif: what would another budget have earned?
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "keep_policy.h"
#include "numbers.h"
#include "offline_words.h"
#include "output.h"
#include "progress.h"
#include "rein/log_rows.h"
#include "rein/whatif_report.h"
#include "shown.h"
#include "verbs.h"
#include "whatif_print.h"

namespace rein::app {
namespace {

struct WhatifWords {
  OfflineWords offline;
  std::vector<std::string> budgets;  // NAME=LOW:HIGH
  int count = 20;
  bool grid = false;
  double sensitivity = 0.0;
  double total = 0.0;
  std::string groups;  // what --segments says
  int segments = 0;    // 0: none
  std::string segments_at;
  std::string title;
  KeepWords keep;
  OutputWords output;
};

// N of --segments; without a number the option has a word of the parser's own.
int groups_of(const std::string& text) {
  constexpr int kUsualGroups = 4;
  if (text.empty() || text == "true" || text == "{}") return kUsualGroups;
  return static_cast<int>(whole_number("--segments", text, 2, kMaxSegments));
}

// One curve per --budget: NAME=LOW:HIGH, or NAME=AMOUNT for one point.
WhatifQuestion question_of(const WhatifWords& words, const LogRows& log,
                           const std::string& budget) {
  WhatifQuestion question;
  const auto [head, amounts] =
      named_head("--budget", budget, log.heads, 1, "NAME=LOW:HIGH or NAME=AMOUNT, per round");
  question.cost = head;
  if (amounts.find(':') == std::string::npos) {
    question.budgets = {finite_number("--budget", amounts)};
  } else {
    const auto [low, high] = ends_of("--budget", amounts);
    for (int k = 0; k < words.count; ++k) {
      question.budgets.push_back(low + (high - low) * k / (words.count - 1));
    }
  }
  question.limits = limits_of(words.offline, log.heads);
  for (const HeadLimit& limit : question.limits) {
    if (limit.head != head) continue;
    throw UsageError(fmt::format("{}: {} has the budget; accepted: another cost",
                                 limit.at_least ? "--at-least" : "--at-most",
                                 log.heads[static_cast<std::size_t>(head)]));
  }
  return question;
}

WhatifReport answers(const WhatifWords& words, const LogRows& log) {
  std::vector<WhatifQuestion> questions;
  for (const std::string& budget : words.budgets)
    questions.push_back(question_of(words, log, budget));
  if (words.grid && questions[0].cost == questions[1].cost) {
    throw UsageError(fmt::format("--grid: found {} twice; accepted: two, of two costs",
                                 log.heads[static_cast<std::size_t>(questions[0].cost)]));
  }
  WhatifOptions options{.heads = log.heads, .actions = log.actions, .seed = words.offline.seed};
  set_fit(words.offline, options.fit);
  options.adaptive = adaptive_of(words.offline);
  options.sensitivity = words.sensitivity;
  options.total = words.total;
  Progress progress;
  const std::int64_t rows = log.view().rows;
  options.progress = [&](double share) {
    progress.show(static_cast<std::int64_t>(share * static_cast<double>(rows)), rows);
    return go_on();
  };
  return typed(whatif_report(log.view(), options, questions, words.grid));
}

void check_words(const WhatifWords& words) {
  if (!words.segments_at.empty() && words.segments == 0) {
    throw UsageError("--segments-at: found no --segments; accepted: with --segments");
  }
  if (words.segments > 0 && !(words.offline.at_least.empty() && words.offline.at_most.empty())) {
    throw UsageError("--segments: found a limit; accepted: without --at-least and --at-most");
  }
  if (!words.grid) return;
  if (words.budgets.size() != 2) {
    throw UsageError(fmt::format("--grid: found {} --budget; accepted: two, of two costs",
                                 words.budgets.size()));
  }
  if (!words.offline.at_least.empty() || !words.offline.at_most.empty()) {
    throw UsageError("--grid: found a limit; accepted: without --at-least and --at-most");
  }
}

// A budget to make the policy of, and its head: the amount of this option, else a single --budget, else half of
// what the last point of the first curve spends.
std::pair<int, double> budget_of(const std::string& option, const std::string& amount, const LogRows& log,
                                 const Whatif& curve) {
  if (!amount.empty()) {
    const auto [head, text] = named_head(option, amount, log.heads, 1, "NAME=AMOUNT, per round");
    return {head, finite_number(option, text)};
  }
  const double usual = usual_budget(curve);
  if (std::isnan(usual)) {
    throw UsageError(fmt::format("{}: the last budget cannot be met; accepted: NAME=AMOUNT", option));
  }
  return {curve.cost, usual};
}

PricedPolicy policy_to_keep(const WhatifWords& words, const LogRows& log, const Whatif& curve) {
  const auto [cost, budget] = budget_of("--save-at", words.keep.at, log, curve);
  PricedPolicyOptions options{.cost = cost, .budget = budget};
  set_fit(words.offline, options.fit);
  return typed(priced_policy(log.view(), options));
}

Segments segments_of(const WhatifWords& words, const LogRows& log, const std::vector<std::string>& columns,
                     const Whatif& curve) {
  const auto [cost, budget] = budget_of("--segments-at", words.segments_at, log, curve);
  SegmentsOptions options{.cost = cost,
                          .budget = budget,
                          .most = words.segments,
                          .heads = log.heads,
                          .actions = log.actions,
                          .columns = columns,
                          .adaptive = adaptive_of(words.offline),
                          .seed = words.offline.seed};
  set_fit(words.offline, options.fit);
  return typed(segments(log.view(), options));
}

std::string kept_note(const PricedPolicy& policy, const std::vector<std::string>& heads) {
  std::string spends;
  for (std::size_t h = 1; h < heads.size(); ++h) {
    spends += fmt::format("{}{} {:.4g}", h == 1 ? "" : ", ", heads[h], policy.values[h]);
  }
  return fmt::format("The policy that is kept was fitted on all rows. It expects to spend {} per round, at a "
                     "price of {:.4g}.\n",
                     spends, policy.price);
}

int whatif_verb(const WhatifWords& words, const std::string& command) {
  check_words(words);
  check_output(words.output, {{"LOG", words.offline.log}});
  check_keep(words.keep, words.offline.log);
  if (words.keep.wanted() && !(words.offline.at_least.empty() && words.offline.at_most.empty())) {
    throw UsageError("--save-policy: found a limit; accepted: without --at-least and --at-most");
  }
  Log read = read_offline(words.offline);
  std::optional<KeptShape> kept;
  if (words.keep.wanted()) kept = shape_to_keep(read);
  if (kept || words.segments > 0) make_dense(read).check();
  const std::vector<std::string> columns = read.names.context;
  const LogRows log = typed(log_rows(std::move(read)));
  WhatifReport report = answers(words, log);
  const std::string asked = about_columns(words.offline, log.view());
  for (Whatif& curve : report.curves) {
    if (!asked.empty()) curve.warnings.push_back(asked);
  }
  if (words.segments > 0) report.segments = segments_of(words, log, columns, report.curves[0]);
  std::string about_kept;
  if (kept) {
    const PricedPolicy policy = policy_to_keep(words, log, report.curves[0]);
    about_kept = kept_note(policy, log.heads) +
                 keep_policy(words.keep, std::move(*kept), columns, policy);
  }
  report.title =
      words.title.empty() ? fmt::format("rein whatif: {}", words.offline.log) : words.title;
  report.command = command;
  const std::string note = about_learners(words.offline, log.view(), report.curves[0].adaptive);
  hand_over(words.output, to_value(report).str(), std::nullopt,
            [&] {
              print_whatif(report, note);
              fmt::print("{}", about_kept);
            });
  return kOk;
}

constexpr const char* kWhatifExamples =
    "A CSV log has columns x_* (context), a (action), p (its probability), r (reward) and c or\n"
    "c_NAME (costs). Bands hold at all budgets together. docs/whatif.md says what is promised.\n"
    "\n"
    "Examples:\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --report page.html\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --at-least quality=0.9 --json\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --budget seconds=1:3 --grid --count 8\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --save-policy half.rein --save-at dollars=0.25\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --total 64000 --segments\n"
    "  rein whatif calls.csv --action model --reward solved --cost bill --columns hard,tokens \\\n"
    "    --propensity prob --budget dollars=0.01:0.5      columns bill_dollars, bill_seconds";

}  // namespace

Verb add_whatif(CLI::App& program, const std::vector<std::string>& typed_words) {
  auto words = std::make_shared<WhatifWords>();
  CLI::App* verb = program.add_subcommand(
      "whatif", "what other budgets would have earned, from a log of decisions");
  add_offline_words(*verb, words->offline, "Seed of the joint band [1]");
  one_each(verb->add_option("--budget", words->budgets,
                            "NAME=LOW:HIGH or NAME=AMOUNT, per round; one curve per option"))
      ->required();
  verb->add_option("--count", words->count, "Budgets between LOW and HIGH [20]")
      ->check(number_from(2, kMaxWhatifBudgets));
  verb->add_flag("--grid", words->grid,
                 "Also the reward over both budgets of two --budget options");
  verb->add_option("--sensitivity", words->sensitivity,
                   "Factor by which odds of propensities may be wrong [none; 1.5 if estimated]")
      ->check(number_from(1.0, kMostLambda));
  verb->add_option("--total", words->total, "Rows over which the answer also has totals, such as next month's")
      ->check(number_from(1.0, kMaxWhatifTotal))
      ->type_name("ROWS");
  const CLI::Option* whom =
      verb->add_option("--segments", words->groups, "Whom: at most so many groups of rows, in words [4]")
          ->expected(0, 1)
          ->type_name("N");
  verb->add_option("--segments-at", words->segments_at,
                   "NAME=AMOUNT: of the policy of that budget [the one of --budget; of a range, half the last spend]");
  verb->add_option("--save-policy", words->keep.file,
                   "Model that decides as the priced policy of a budget, for rein assign and Python")
      ->type_name("FILE");
  verb->add_option("--save-at", words->keep.at,
                   "NAME=AMOUNT: that budget [the one of --budget; of a range, half the last spend]");
  verb->add_option("--serve-policy", words->keep.serve,
                   "The same as a new model in a data folder of rein serve")
      ->type_name("DATA/NAME");
  verb->add_flag("--force", words->keep.force, "Overwrite the FILE of --save-policy");
  add_report(*verb, words->output);
  verb->add_option("--title", words->title, "Title of the report [rein whatif: LOG]");
  verb->add_flag("--json", words->output.json, "Print one JSON object");
  verb->footer(kWhatifExamples);
  return [words, typed_words, whom] {
    if (whom->count() > 0) words->segments = groups_of(words->groups);
    return stoppable("whatif", [&] { return whatif_verb(*words, command_line(typed_words)); });
  };
}

}  // namespace rein::app
