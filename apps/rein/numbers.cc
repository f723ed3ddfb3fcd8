#include "numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "verbs.h"

namespace rein::app {

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t low,
                          std::int64_t high) {
  double number = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number != std::floor(number) ||
      number < static_cast<double>(low) || number > static_cast<double>(high)) {
    throw UsageError(
        fmt::format("{}: found \"{}\"; accepted: a whole number from {} to {}, also as 1e5", option,
                    text, low, high));
  }
  return static_cast<std::int64_t>(number);
}

}  // namespace rein::app
