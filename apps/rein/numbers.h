// Numbers as people type them, 100000 or 1e5, and options that may be repeated.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace rein::app {

// A whole number in [low, high], plain or as 1e6. Throws UsageError with the option's name.
std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t low,
                          std::int64_t high);

// A finite number. "per round" may follow it. Throws UsageError with the option's name.
double finite_number(const std::string& option, const std::string& text);

// Validators, run before the text becomes a value: any number in [low, high], and any non-empty
// text. NaN is in no range.
CLI::Validator number_from(double low, double high);
CLI::Validator not_empty(const std::string& accepted);

// For options that may be repeated: each takes the one word that follows, so that a file may come after
// it. Returns the option.
CLI::Option* one_each(CLI::Option* option);

// The command with "per round" joined to the amount before it: --budget dollars=0.2 per round.
std::vector<std::string> with_units(std::vector<std::string> words);

}  // namespace rein::app
