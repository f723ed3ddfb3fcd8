// rein whatif: what would another budget have earned?
#include "rein/whatif.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <memory>
#include <thread>

#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "rein/log_rows.h"
#include "streams.h"
#include "table.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct WhatifWords {
  std::string log;
  std::vector<std::string> budgets;  // NAME=LOW:HIGH
  std::vector<std::string> at_least, at_most;
  int count = 20;
  int threads = 0;
  int folds = 5;
  std::uint64_t seed = 1;
  std::string adaptive = "auto";
  std::string format = "auto";
  OutputWords output;
};

std::atomic<bool> interrupted{false};
void interrupt(int) { interrupted = true; }

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

std::string band(const CurveValue& value) {
  if (std::isnan(value.band_low)) return fmt::format("{:.4g} [no band]", value.value);
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", value.value, value.band_low, value.band_high);
}

void print_for_people(const Whatif& curve) {
  const std::size_t cost = static_cast<std::size_t>(curve.cost);
  std::vector<std::string> header{fmt::format("budget {}", curve.heads[cost]),
                                  "reward [joint 95 %]", "price"};
  for (std::size_t h = 1; h < curve.heads.size(); ++h) header.push_back(curve.heads[h]);
  header.emplace_back("fixed mix");
  header.emplace_back("effective size");
  TextTable table(header);
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    const CurvePoint& point = curve.points[k];
    std::vector<std::string> row{fmt::format("{:.4g}", point.budget)};
    if (!point.possible) {
      row.emplace_back("cannot be met");
      row.resize(header.size());
      table.add(row);
      continue;
    }
    row.push_back(band(point.values[0]));
    row.push_back(brief(point.price));
    for (std::size_t h = 1; h < curve.heads.size(); ++h) {
      row.push_back(curve.limits.empty() ? brief(point.values[h].value) : band(point.values[h]));
    }
    row.push_back(curve.fixed[k].possible ? brief(curve.fixed[k].values[0].value) : "");
    row.push_back(brief(point.effective_size));
    table.add(row);
  }
  fmt::print("{}\n", table.str());
  for (const std::string& line : curve.verdict) fmt::print("{}\n", line);
  fmt::print("{} rows{}.\n", curve.rows,
             curve.adaptive
                 ? "; the log looks made by a policy that learned: each block is predicted from "
                   "earlier rows"
                 : "");
  for (const std::string& line : curve.warnings) fmt::print("warning: {}\n", line);
}

int whatif_verb(const WhatifWords& words) {
  check_output(words.output, {{"LOG", words.log}});
  Log read = read_from(read_log(words.log, {.format = typed(log_format(words.format))}));
  if (read.report.refused > 0) complain(read.report.str());
  const LogRows log = typed(log_rows(std::move(read)));
  std::vector<Whatif> curves;
  const auto before = std::signal(SIGINT, interrupt);
  for (const std::string& budget : words.budgets) {
    WhatifOptions options = options_of(words, log, budget);
    Progress progress;
    options.progress = [&](double share) {
      progress.show(static_cast<std::int64_t>(share * 1000.0), 1000);
      return !interrupted;
    };
    curves.push_back(typed(whatif(log.view(), options)));
  }
  std::signal(SIGINT, before);
  Json::List all;
  for (const Whatif& curve : curves) all.push_back(to_value(curve));
  const Json json =
      curves.size() == 1 ? all[0] : Json(Json::Object{{"kind", "whatif_slices"}, {"curves", all}});
  hand_over(words.output, json.str(), std::nullopt, [&] {
    for (const Whatif& curve : curves) print_for_people(curve);
  });
  return kOk;
}

constexpr const char* kExamples =
    "A CSV log has columns x_* (context), a (action), p (its probability), r (reward) and c or\n"
    "c_NAME (costs). Bands hold at all budgets together. docs/whatif.md says what is promised.\n"
    "\n"
    "Examples:\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5\n"
    "  rein whatif log.csv --budget dollars=0.01:0.5 --at-least quality=0.9 --json";

}  // namespace

Verb add_whatif(CLI::App& program) {
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
  verb->add_flag("--json", words->output.json, "print one JSON object");
  verb->footer(kExamples);
  return [words] { return whatif_verb(*words); };
}

}  // namespace rein::app
