#include "base/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spec_reader.h"

namespace rein {

Error unknown_name(std::string_view what, const Spec& spec, const std::vector<Entry>& entries) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  const std::string place = spec.at < 0 ? std::string() : fmt::format(" at {}", spec.at);
  return Error{fmt::format("{}: unknown name \"{}\"{}; accepted: {}", what, spec.name, place,
                           join_names(names))};
}

const Option* find_option(const Entry& entry, std::string_view key) {
  for (const Option& option : entry.options) {
    if (option.key == key) return &option;
  }
  return nullptr;
}

std::vector<std::string_view> choices_of(const Option& option) {
  std::vector<std::string_view> choices;
  std::string_view rest = option.choices;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    choices.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return choices;
}

}  // namespace rein
