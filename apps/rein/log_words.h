// The options by which a log is read: the same words for every verb that reads one.
#pragma once

#include <functional>
#include <string>

#include "rein/log.h"
#include "verbs.h"

namespace rein::app {

struct LogWords {
  std::string from = "auto", vw = "auto";
  LogOptions options;
};

// Adds --from, --vw, --bits, --vw-quadratic, --actions, --columns, --action, --propensity, --reward and
// --cost.
void add_log_words(CLI::App& verb, LogWords& words);
// Throws UsageError for words that are not accepted.
LogOptions log_options(const LogWords& words);

// Reads the log, with a bar. Throws Failure (exit code 1) if it cannot be read.
Log read_shown(const std::string& path, const LogWords& words);

// Runs the work of a verb. Ctrl-C makes go_on() false, and a second Ctrl-C ends the program at once. If
// the work then fails, prints that nothing was written and returns kInterrupted.
int stoppable(const char* verb, const std::function<int()>& work);
// For progress functions of the work. False: stop now.
bool go_on();

}  // namespace rein::app
