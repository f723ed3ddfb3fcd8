// Helpers for runs, comparisons and verifications.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bind.h"
#include "rein/report.h"

namespace rein::bind {

// Parses texts of one or more specs each, as on the command line.
std::vector<Spec> specs_of(const std::vector<std::string>& texts);
// Wraps a Python function of (rounds done, rounds in all) so that any thread may call it.
std::function<void(std::int64_t, std::int64_t)> progress_of(nb::object tell);
// As plain Python values, so that results can be stored and sent.
nb::object plain(const Json& value);
// The report, the totals and curves of every play, and the texts of JSON and CSV.
nb::dict plain(const RunResult& result, const Json& report);
nb::dict plain(const Comparison& found, const std::string& title);

}  // namespace rein::bind
