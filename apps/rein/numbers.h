// Numbers as people type them: 100000 or 1e5.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace rein::app {

// A whole number in [low, high], plain or as 1e6. Throws UsageError with the option's name.
std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t low,
                          std::int64_t high);

// Validators, run before the text becomes a value: any number in [low, high], and any non-empty
// text. NaN is in no range.
CLI::Validator number_from(double low, double high);
CLI::Validator not_empty(const std::string& accepted);

}  // namespace rein::app
