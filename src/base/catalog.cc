#include "base/catalog.h"

#include <fmt/format.h>

#include "base/spec_reader.h"

namespace rein {

Error unknown_name(std::string_view what, const Spec& spec, const std::vector<Entry>& entries) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  const std::string place = spec.at < 0 ? std::string() : fmt::format(" at {}", spec.at);
  return Error{fmt::format("{}: unknown name \"{}\"{}; accepted: {}", what, spec.name, place,
                           join_names(names))};
}

}  // namespace rein
