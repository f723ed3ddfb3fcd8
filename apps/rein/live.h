// The options of run and compare for budgets with windows and for outcomes in parts (rein/live.h).
#pragma once

#include <string>
#include <vector>

#include "rein/live.h"
#include "verbs.h"

namespace rein::app {

struct LiveWords {
  std::vector<std::string> budgets;
  std::vector<std::string> missing, late, keys;  // NAME=NUMBER, separated by commas or repeated
  std::string ticks = "1";
  std::string expire;  // empty: once the last part is due
};

void add_live(CLI::App& verb, LiveWords& words);
// Throws UsageError if an option is invalid.
Live read_live(const LiveWords& words);

}  // namespace rein::app
