// rein whatif: what would another budget have earned?
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "rein/log_rows.h"
#include "rein/whatif_report.h"
#include "shown.h"
#include "streams.h"
#include "verbs.h"
#include "whatif_print.h"

namespace rein::app {
namespace {

struct WhatifWords {
  std::string log;
  std::vector<std::string> budgets;  // NAME=LOW:HIGH
  std::vector<std::string> at_least, at_most;
  int count = 20;
  int threads = 0;
  int folds = 5;
  bool grid = false;
  std::uint64_t seed = 1;
  std::string adaptive = "auto";
  std::string format = "auto";
  std::string title;
  OutputWords output;
};

constexpr int kInterrupted = 130;  // as shells have it
std::atomic<bool> interrupted{false};
void interrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);  // a second Ctrl-C ends the program at once
}

int head_of(const LogRows& log, const std::string& option, const std::string& name) {
  std::string names;
  for (std::size_t h = 1; h < log.heads.size(); ++h) {
    if (log.heads[h] == name) return static_cast<int>(h);
    names += (names.empty() ? "" : ", ") + log.heads[h];
  }
  throw UsageError(
      fmt::format("{}: the log has no cost \"{}\"; accepted: {}", option, name, names));
}

double number_of(const std::string& option, const std::string& text) {
  std::size_t used = 0;
  double value = 0.0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size()) {
    throw UsageError(fmt::format("{}: found \"{}\"; accepted: a number", option, text));
  }
  return value;
}

std::pair<std::string, std::string> named(const std::string& option, const std::string& text,
                                          const char* accepted) {
  const std::size_t split = text.find('=');
  if (split == std::string::npos || split == 0) {
    throw UsageError(fmt::format("{}: found \"{}\"; accepted: {}", option, text, accepted));
  }
  return {text.substr(0, split), text.substr(split + 1)};
}

// One curve per --budget: NAME=LOW:HIGH, or NAME=AMOUNT for one point.
WhatifOptions options_of(const WhatifWords& words, const LogRows& log, const std::string& budget) {
  WhatifOptions options{.heads = log.heads, .actions = log.actions, .seed = words.seed};
  const auto [name, range] = named("--budget", budget, "NAME=LOW:HIGH or NAME=AMOUNT, per round");
  options.cost = head_of(log, "--budget", name);
  const std::size_t colon = range.find(':');
  const double low = number_of("--budget", range.substr(0, colon));
  const double high =
      colon == std::string::npos ? low : number_of("--budget", range.substr(colon + 1));
  if (colon != std::string::npos && !(low < high)) {
    throw UsageError(fmt::format("--budget: found {}:{}; accepted: LOW below HIGH", low, high));
  }
  const int count = colon == std::string::npos ? 1 : words.count;
  for (int k = 0; k < count; ++k) {
    options.budgets.push_back(count == 1 ? high : low + (high - low) * k / (count - 1));
  }
  const auto limit = [&](const std::string& option, const std::string& text, bool at_least) {
    const auto [head, amount] = named(option, text, "NAME=AMOUNT, per round");
    options.limits.push_back({.head = head_of(log, option, head),
                              .amount = number_of(option, amount),
                              .at_least = at_least});
  };
  for (const std::string& text : words.at_least) limit("--at-least", text, true);
  for (const std::string& text : words.at_most) limit("--at-most", text, false);
  options.fit.folds = words.folds;
  options.fit.threads = words.threads > 0
                            ? words.threads
                            : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.adaptive = words.adaptive == "yes"  ? Adaptive::kYes
                     : words.adaptive == "no" ? Adaptive::kNo
                                              : Adaptive::kAuto;
  return options;
}

// The shares of the work that the curves and the grid take, one after the other.
class Steps {
 public:
  Steps(int steps, std::int64_t rows) : steps_(steps), rows_(rows) {}
  std::function<bool(double)> next() {
    const int before = done_++;
    return [this, before](double share) {
      const double rows = (before + share) * static_cast<double>(rows_);
      progress_.show(static_cast<std::int64_t>(rows), rows_ * steps_);
      return !interrupted;
    };
  }

 private:
  Progress progress_;
  int steps_;
  std::int64_t rows_;
  int done_ = 0;
};

WhatifReport answers(const WhatifWords& words, const LogRows& log) {
  WhatifReport report;
  Steps steps(static_cast<int>(words.budgets.size()) + (words.grid ? 1 : 0), log.view().rows);
  std::vector<WhatifOptions> asked;
  for (const std::string& budget : words.budgets) asked.push_back(options_of(words, log, budget));
  for (WhatifOptions& options : asked) {
    options.progress = steps.next();
    report.curves.push_back(typed(whatif(log.view(), options)));
  }
  if (words.grid) {
    asked[0].progress = steps.next();
    report.grid = typed(whatif_grid(log.view(), asked[0], asked[1].cost, asked[1].budgets));
  }
  return report;
}

void check_words(const WhatifWords& words) {
  if (!words.grid) return;
  if (words.budgets.size() != 2) {
    throw UsageError(fmt::format("--grid: found {} --budget; accepted: two, of two costs",
                                 words.budgets.size()));
  }
  if (!words.at_least.empty() || !words.at_most.empty()) {
    throw UsageError("--grid: found a limit; accepted: without --at-least and --at-most");
  }
}

int whatif_verb(const WhatifWords& words, const std::string& command) {
  check_words(words);
  check_output(words.output, {{"LOG", words.log}});
  Log read = read_from(read_log(words.log, {.format = typed(log_format(words.format))}));
  if (read.report.refused > 0) complain(read.report.str());
  const LogRows log = typed(log_rows(std::move(read)));
  const auto before = std::signal(SIGINT, interrupt);
  WhatifReport report;
  try {
    report = answers(words, log);
  } catch (const Failure&) {
    if (!interrupted) throw;
    complain("whatif: stopped; nothing was written");
    return kInterrupted;
  }
  std::signal(SIGINT, before);
  report.title = words.title.empty() ? fmt::format("rein whatif: {}", words.log) : words.title;
  report.command = command;
  hand_over(words.output, to_value(report).str(), std::nullopt, [&] { print_whatif(report); });
  return kOk;
}

constexpr const char* kExamples =
    "A CSV log has columns x_* (context), a (action), p (its probability), r (reward) and c or\n"
    "c_NAME (costs). Bands hold at all budgets together. docs/whatif.md says what is promised.\n"
    "\n"
    "Examples:\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --report page.html\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --at-least quality=0.9 --json\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --budget seconds=1:3 --grid --count 8";

}  // namespace

Verb add_whatif(CLI::App& program, const std::vector<std::string>& typed_words) {
  auto words = std::make_shared<WhatifWords>();
  CLI::App* verb = program.add_subcommand(
      "whatif", "what other budgets would have earned, from a log of decisions");
  verb->add_option("LOG", words->log, "file of past decisions")->required();
  verb->add_option("--budget", words->budgets, "NAME=LOW:HIGH per round; one curve per option")
      ->required();
  verb->add_option("--at-least", words->at_least, "NAME=AMOUNT: lower limit on another cost");
  verb->add_option("--at-most", words->at_most, "NAME=AMOUNT: upper limit on another cost");
  verb->add_option("--count", words->count, "budgets between LOW and HIGH [20]")
      ->check(number_from(2, kMaxWhatifBudgets));
  verb->add_option("--folds", words->folds, "folds of the regressions [5]")
      ->check(number_from(2, 1000));
  verb->add_option("--threads", words->threads, "threads; they change no digit [all cores]")
      ->check(number_from(1, 4096));
  verb->add_option("--seed", words->seed, "seed of the joint band [1]");
  verb->add_option("--adaptive", words->adaptive, "whether a learning policy made the log [auto]")
      ->check(CLI::IsMember({"auto", "yes", "no"}));
  verb->add_option("--format", words->format, "auto, csv, jsonl, dsjson, vw or rlog [auto]");
  verb->add_flag("--grid", words->grid,
                 "also the reward over both budgets of two --budget options");
  add_report(*verb, words->output);
  verb->add_option("--title", words->title, "title of the report [rein whatif: LOG]");
  verb->add_flag("--json", words->output.json, "print one JSON object");
  verb->footer(kExamples);
  return [words, typed_words] { return whatif_verb(*words, command_line(typed_words)); };
}

}  // namespace rein::app
