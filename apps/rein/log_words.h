// The options by which a log is read: the same words for every verb that reads one.
#pragma once

#include <string>

#include "rein/log.h"
#include "verbs.h"

namespace rein::app {

struct LogWords {
  std::string from = "auto", vw = "auto";
  LogOptions options;
};

// Adds --from, --vw, --bits, --vw-quadratic, --actions, --columns, --action, --propensity, --reward, --cost.
void add_log_words(CLI::App& verb, LogWords& words);
// Throws UsageError for words that are not accepted.
LogOptions log_options(const LogWords& words);

// Ctrl-C sets it from now on; a verb asks it between two parts of its work.
void watch_interrupt();
bool interrupted();

}  // namespace rein::app
