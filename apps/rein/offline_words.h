// What rein whatif and rein evaluate have in common: how they read the log, limits on costs, threads,
// folds, and how Ctrl-C ends them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "log_words.h"
#include "rein/offpolicy.h"

namespace rein::app {

struct OfflineWords {
  std::string log;
  LogWords words;
  std::vector<std::string> at_least, at_most;  // NAME=AMOUNT
  int threads = 0;                             // 0: all cores
  int folds = 5;
  std::uint64_t seed = 1;
  std::string adaptive = "auto";
};

// Adds LOG, --at-least, --at-most, --threads, --folds, --seed, --adaptive and the words of a log.
void add_offline_words(CLI::App& verb, OfflineWords& words, const std::string& about_seed);

// The log, read with a bar. Rows that were refused are told on standard error.
Log read_offline(const OfflineWords& words);

// NAME=TEXT of an option, with NAME among the heads from `first` on: the head and the text.
std::pair<int, std::string> named_head(const std::string& option, const std::string& text,
                                       const std::vector<std::string>& heads, std::size_t first,
                                       const std::string& accepted);
// LOW:HIGH, with LOW below HIGH.
std::pair<double, double> ends_of(const std::string& option, const std::string& ends);
std::vector<HeadLimit> limits_of(const OfflineWords& words, const std::vector<std::string>& heads);

void set_fit(const OfflineWords& words, FitOptions& fit);
Adaptive adaptive_of(const OfflineWords& words);
// A warning where rows of the log look as if they belong together by a column that is not used; else empty.
std::string about_columns(const OfflineWords& words, const OfflineRows& rows);
// A line for people if --adaptive auto noticed no learner, though one may have made the log: the
// propensities of an action differ, or are not known. Otherwise empty.
std::string about_learners(const OfflineWords& words, const OfflineRows& rows, bool noticed);

}  // namespace rein::app
