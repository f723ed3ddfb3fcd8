// What the files of runs, comparisons and verifications share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bind.h"
#include "rein/compare.h"

namespace rein::bind {

// Texts of one or more specs each, as on the command line.
std::vector<Spec> specs_of(const std::vector<std::string>& texts);
// A Python function of (rounds done, rounds in all), fit to be called from any thread.
std::function<void(std::int64_t, std::int64_t)> progress_of(nb::object tell);
// As plain Python values, so that results can be kept and sent.
nb::dict plain(const RunResult& result);
nb::dict plain(const Comparison& found, const std::string& title);

}  // namespace rein::bind
