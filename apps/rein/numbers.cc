#include "numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text_number.h"
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

double finite_number(const std::string& option, const std::string& text) {
  constexpr std::string_view kUnit = " per round";
  std::string_view number = text;
  if (number.ends_with(kUnit)) number.remove_suffix(kUnit.size());
  double value = 0.0;
  if (to_number(number, value)) return value;
  const bool unit = text.find(" per ") != std::string::npos;
  throw UsageError(fmt::format("{}: found \"{}\"; accepted: a finite number{}", option, text,
                               unit ? ", or one followed by \"per round\"" : ""));
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

CLI::Option* one_each(CLI::Option* option) { return option->allow_extra_args(false); }

std::vector<std::string> with_units(std::vector<std::string> words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i].find('=') == std::string::npos || words[i + 1] != "per" || words[i + 2] != "round")
      continue;
    words[i] += " per round";
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                words.begin() + static_cast<std::ptrdiff_t>(i) + 3);
  }
  return words;
}

}  // namespace rein::app
