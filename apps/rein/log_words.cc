#include "log_words.h"

#include <fmt/format.h>

#include <atomic>
#include <csignal>

#include "progress.h"
#include "streams.h"

namespace rein::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;
std::atomic<bool> told_to_stop{false};

void interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

void add_log_words(CLI::App& verb, LogWords& words) {
  LogOptions& options = words.options;
  verb.add_option("--from,--format", words.from,
                  "Format of the log: csv, jsonl, dsjson, vw, cb, rlog")
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
  const auto vw = LogOptions::vw_of(words.vw);
  if (!vw) throw UsageError("--" + vw.error());
  options.vw = vw.value();
  return options;
}

Log read_shown(const std::string& path, const LogWords& words) {
  const LogOptions options = log_options(words);
  Progress bar(Progress::kBytes);
  std::int64_t bytes = 0;
  Log log = read_log(path, options, [&](std::int64_t read, std::int64_t all) {
              bar.show(read, bytes = all);
              return go_on();
            }).value();
  bar.show(bytes, bytes);
  return log;
}

int stoppable(const char* verb, const std::function<int()>& work) {
  std::signal(SIGINT, interrupt);
  try {
    return work();
  } catch (const Failure&) {
    if (!told_to_stop) throw;
  }
  complain(fmt::format("{}: stopped; nothing was written", verb));
  return kInterrupted;
}

bool go_on() {
  if (interrupted != 0) told_to_stop = true;
  return interrupted == 0;
}

}  // namespace rein::app
