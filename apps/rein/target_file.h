// A CSV file with the probabilities of a policy: one row per row of the log, one column per action,
// named as the action or pi_NAME. Other columns are ignored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rein/policy_values.h"

namespace rein::app {

// `lines`: the line of every row of the log; given if the file is the log itself, so that rows which
// the log's reader refused are left out here too. Empty: the file has exactly one row per row.
// The policy is named after the file. Throws UsageError or Failure.
GivenPolicy read_target(const std::string& path, const std::vector<std::string>& actions,
                        std::int64_t rows, std::span<const std::int64_t> lines);

}  // namespace rein::app
