#include "log_words.h"

#include <fmt/format.h>

#include <csignal>

namespace rein::app {
namespace {

volatile std::sig_atomic_t stopped = 0;

LogOptions::Vw vw_of(const std::string& name) {
  if (name == "auto") return LogOptions::Vw::kAuto;
  if (name == "adf") return LogOptions::Vw::kAdf;
  if (name == "cb") return LogOptions::Vw::kCb;
  throw UsageError(fmt::format("--vw: found \"{}\"; accepted: auto, adf, cb", name));
}

}  // namespace

void add_log_words(CLI::App& verb, LogWords& words) {
  LogOptions& options = words.options;
  verb.add_option("--from", words.from, "Format of the log: csv, jsonl, dsjson, vw, rlog")
      ->capture_default_str();
  verb.add_option("--vw", words.vw, "Vowpal Wabbit text: adf (actions with features) or cb")
      ->capture_default_str();
  verb.add_option("--actions", options.actions, "Names of all actions; others are refused")
      ->delimiter(',');
  verb.add_option("--columns", options.columns, "CSV: columns of the context, by name")
      ->delimiter(',');
  verb.add_option("--bits", options.bits,
                  "Sparse features by their slots in Vowpal Wabbit with -b N, not by name")
      ->type_name("N")
      ->check(CLI::Range(1, kMaxLogBits));
  verb.add_option("-q,--vw-quadratic", options.quadratic,
                  "Adds products of two namespaces, as Vowpal Wabbit's -q UA; repeatable")
      ->type_name("XY");
  const auto column = [&](const char* name, std::string& to, const char* about) {
    verb.add_option(name, to, about)->capture_default_str();
  };
  column("--action", options.action, "CSV: column of the action");
  column("--propensity", options.propensity, "CSV: column of its probability");
  column("--reward", options.reward, "CSV: column of the reward");
  column("--cost", options.cost, "CSV: column of the cost, or NAME_ before several");
}

LogOptions log_options(const LogWords& words) {
  LogOptions options = words.options;
  options.format = typed(log_format(words.from));
  options.vw = vw_of(words.vw);
  return options;
}

void watch_interrupt() {
  std::signal(SIGINT, [](int) { stopped = 1; });
}
bool interrupted() { return stopped != 0; }

}  // namespace rein::app
