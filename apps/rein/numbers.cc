#include "numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "verbs.h"

namespace rein::app {
namespace {

bool read_number(const std::string& text, double& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t low,
                          std::int64_t high) {
  double number = 0.0;
  if (!read_number(text, number) || number != std::floor(number) ||
      number < static_cast<double>(low) || number > static_cast<double>(high)) {
    throw UsageError(
        fmt::format("{}: found \"{}\"; accepted: a whole number from {} to {}, also as 1e5", option,
                    text, low, high));
  }
  return static_cast<std::int64_t>(number);
}

CLI::Validator number_from(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        double number = 0.0;
        if (read_number(text, number) && number >= low && number <= high) return std::string();
        return fmt::format("found \"{}\"; accepted: a number from {} to {}", text, low, high);
      },
      "");
}

CLI::Validator not_empty(const std::string& accepted) {
  return CLI::Validator(
      [accepted](std::string& text) {
        return text.empty() ? fmt::format("found \"\"; accepted: {}", accepted) : std::string();
      },
      "");
}

}  // namespace rein::app
