#include "offline_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "numbers.h"
#include "rein/log_rows.h"
#include "streams.h"

namespace rein::app {

void add_offline_words(CLI::App& verb, OfflineWords& words, const std::string& about_seed) {
  verb.add_option("LOG", words.log, "File of past decisions, plain or gzip")->required();
  one_each(verb.add_option("--at-least", words.at_least, "NAME=AMOUNT: lower limit on a cost"));
  one_each(verb.add_option("--at-most", words.at_most, "NAME=AMOUNT: upper limit on a cost"));
  verb.add_option("--adaptive", words.adaptive, "Whether a learning policy made the log [auto]")
      ->check(CLI::IsMember({"auto", "yes", "no"}));
  verb.add_option("--folds", words.folds, "Folds of the regressions [5]")
      ->check(number_from(2, 1000));
  verb.add_option("--threads", words.threads, "Threads; they change no digit [all cores]")
      ->check(number_from(1, 4096));
  verb.add_option("--unit", words.words.options.unit,
                  "Column of what rows belong to (user, session, day): a unit is one observation")
      ->type_name("COLUMN");
  verb.add_option("--seed", words.seed, about_seed);
  add_log_words(verb, words.words);
}

Log read_offline(const OfflineWords& words) {
  Log log = read_shown(words.log, words.words);
  if (auto named = name_actions(log); !named) throw Failure(named.failure());
  if (!log.report.notes.empty()) complain(log.report.str());
  if (log.rows() < words.folds) {
    throw UsageError(
        fmt::format("{}: found {} row{}; accepted: at least {}, one for each of --folds", words.log,
                    log.rows(), log.rows() == 1 ? "" : "s", words.folds));
  }
  return log;
}

std::pair<int, std::string> named_head(const std::string& option, const std::string& text,
                                       const std::vector<std::string>& heads, std::size_t first,
                                       const std::string& accepted) {
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

std::pair<double, double> ends_of(const std::string& option, const std::string& ends) {
  const std::size_t colon = ends.find(':');
  if (colon == std::string::npos) {
    throw UsageError(fmt::format("{}: found \"{}\"; accepted: NAME=LOW:HIGH", option, ends));
  }
  const double low = finite_number(option, ends.substr(0, colon));
  const double high = finite_number(option, ends.substr(colon + 1));
  if (!(low < high)) {
    throw UsageError(fmt::format("{}: found {}:{}; accepted: LOW below HIGH", option, low, high));
  }
  return {low, high};
}

std::vector<HeadLimit> limits_of(const OfflineWords& words, const std::vector<std::string>& heads) {
  std::vector<HeadLimit> out;
  const auto add = [&](const char* option, const std::string& text, bool at_least) {
    const auto [head, amount] = named_head(option, text, heads, 1, "NAME=AMOUNT, per round");
    out.push_back({.head = head, .amount = finite_number(option, amount), .at_least = at_least});
  };
  for (const std::string& text : words.at_least) add("--at-least", text, true);
  for (const std::string& text : words.at_most) add("--at-most", text, false);
  return out;
}

void set_fit(const OfflineWords& words, FitOptions& fit) {
  fit.folds = words.folds;
  fit.threads = words.threads > 0
                    ? words.threads
                    : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Adaptive adaptive_of(const OfflineWords& words) {
  if (words.adaptive == "yes") return Adaptive::kYes;
  return words.adaptive == "no" ? Adaptive::kNo : Adaptive::kAuto;
}

std::string about_columns(const OfflineWords& words, const OfflineRows& rows) {
  return question_about_columns(words.log, log_options(words.words), rows);
}

std::string about_learners(const OfflineWords& words, const OfflineRows& rows, bool noticed) {
  if (noticed || adaptive_of(words) != Adaptive::kAuto) return "";
  std::vector<double> first(static_cast<std::size_t>(rows.actions), 0.0);
  bool differ = rows.propensity.empty();
  for (std::size_t i = 0; i < rows.propensity.size() && !differ; ++i) {
    double& known = first[static_cast<std::size_t>(rows.played[i])];
    if (known == 0.0) known = rows.propensity[i];
    differ = known != rows.propensity[i];
  }
  if (!differ) return "";
  return "The log is taken as made by a policy that did not learn. If it learned, say --adaptive "
         "yes.\n";
}

}  // namespace rein::app
