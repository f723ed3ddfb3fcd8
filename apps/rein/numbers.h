// Numbers as people type them: 100000 or 1e5.
#pragma once

#include <cstdint>
#include <string>

namespace rein::app {

// A whole number in [low, high], plain or as 1e6; throws UsageError naming the option.
std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t low,
                          std::int64_t high);

}  // namespace rein::app
