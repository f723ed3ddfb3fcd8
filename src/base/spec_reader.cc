#include "base/spec_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rein {
namespace {

std::string describe(const Limits& limits) {
  if (std::isfinite(limits.above)) {
    return std::isfinite(limits.high)
               ? fmt::format("a number above {} and at most {}", limits.above, limits.high)
               : fmt::format("a number above {}", limits.above);
  }
  if (std::isfinite(limits.low) && std::isfinite(limits.high)) {
    return fmt::format("a number from {} to {}", limits.low, limits.high);
  }
  if (std::isfinite(limits.low)) return fmt::format("a number of at least {}", limits.low);
  if (std::isfinite(limits.high)) return fmt::format("a number of at most {}", limits.high);
  return "a number";
}

// A position in the text; empty for a spec that was not parsed.
std::string place(int at) { return at < 0 ? std::string() : fmt::format(" at {}", at); }

}  // namespace

std::string join_names(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

const SpecValue* SpecReader::ask(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return spec_.find(key);
}

std::optional<double> SpecReader::checked(std::string_view key, const SpecValue& value,
                                          const Limits& limits) {
  // A spec that was not parsed may hold NaN or infinity, which no text can express.
  const auto* number = std::get_if<double>(&value.is);
  if (!number || !std::isfinite(*number) || *number < limits.low || *number > limits.high ||
      *number <= limits.above) {
    wrong(key, value, describe(limits));
    return std::nullopt;
  }
  return *number;
}

double SpecReader::number(std::string_view key, double otherwise, Limits limits) {
  return number(key, limits).value_or(otherwise);
}

std::optional<double> SpecReader::number(std::string_view key, Limits limits) {
  const SpecValue* value = ask(key);
  if (!value) return std::nullopt;
  return checked(key, *value, limits);
}

std::int64_t SpecReader::integer(std::string_view key, std::int64_t otherwise, std::int64_t low,
                                 std::int64_t high) {
  const SpecValue* value = ask(key);
  if (!value) return otherwise;
  const auto* number = std::get_if<double>(&value->is);
  if (!number || *number != std::floor(*number) || *number < static_cast<double>(low) ||
      *number > static_cast<double>(high)) {
    wrong(key, *value, fmt::format("a whole number from {} to {}", low, high));
    return otherwise;
  }
  return static_cast<std::int64_t>(*number);
}

bool SpecReader::flag(std::string_view key, bool otherwise) {
  return integer(key, otherwise ? 1 : 0, 0, 1) == 1;
}

std::string SpecReader::word(std::string_view key, std::string_view otherwise,
                             const std::vector<std::string_view>& accepted) {
  const SpecValue* value = ask(key);
  if (!value) return std::string(otherwise);
  const auto* spec = std::get_if<Spec>(&value->is);
  if (!spec || !spec->options.empty() ||
      std::find(accepted.begin(), accepted.end(), spec->name) == accepted.end()) {
    wrong(key, *value, join_names(accepted));
    return std::string(otherwise);
  }
  return spec->name;
}

std::string SpecReader::text(std::string_view key, std::string_view otherwise) {
  const SpecValue* value = ask(key);
  if (!value) return std::string(otherwise);
  if (const auto* quoted = std::get_if<SpecValue::Quoted>(&value->is)) return quoted->text;
  if (const auto* spec = std::get_if<Spec>(&value->is); spec && spec->options.empty()) {
    return spec->name;
  }
  wrong(key, *value, "\"text\" in quotes");
  return std::string(otherwise);
}

std::vector<double> SpecReader::numbers(std::string_view key, Limits limits) {
  const SpecValue* value = ask(key);
  if (!value) return {};
  std::vector<double> out;
  if (const auto* list = std::get_if<SpecValue::List>(&value->is)) {
    for (const auto& item : *list) {
      if (auto number = checked(key, item, limits)) out.push_back(*number);
    }
    if (list->empty()) wrong(key, *value, "one number per cost");
  } else if (auto number = checked(key, *value, limits)) {
    out.push_back(*number);
  }
  return out;
}

Spec SpecReader::spec(std::string_view key, std::string_view otherwise) {
  const SpecValue* value = ask(key);
  if (!value) return parse_spec(otherwise).value();
  if (const auto* spec = std::get_if<Spec>(&value->is)) return *spec;
  wrong(key, *value, fmt::format("a name such as {}", otherwise));
  return parse_spec(otherwise).value();
}

void SpecReader::wrong(std::string_view key, const SpecValue& value, std::string_view accepted) {
  refuse(fmt::format("key \"{}\" has {}{}; accepted: {}", key, value.str(), place(value.at),
                     accepted));
}

void SpecReader::refuse(std::string message) {
  if (error_.empty()) error_ = fmt::format("{}: {}", what_, message);
}

Result<> SpecReader::finish() const {
  for (const auto& [key, value] : spec_.options) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    auto sorted = known_;
    std::sort(sorted.begin(), sorted.end());
    const std::string takes = sorted.empty() ? std::string("no keys") : join_names(sorted);
    return Error{fmt::format("{}: unknown key \"{}\"{}; {} takes {}", what_, key,
                             place(value.key_at), spec_.name, takes)};
  }
  if (!error_.empty()) return Error{error_};
  return {};
}

}  // namespace rein
