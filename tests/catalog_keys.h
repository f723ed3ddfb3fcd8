// The keys that a catalog lists for an entry, and those that the entry itself accepts. The two must
// be the same; otherwise `rein list` and the pages disagree with the code.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rein/catalog.h"

namespace rein {

inline std::set<std::string> listed_keys(const Entry& entry) {
  std::set<std::string> keys;
  for (const Option& option : entry.options) keys.emplace(option.key);
  return keys;
}

// The default first, then every other choice.
inline std::vector<std::string> values_of(const Option& option) {
  std::vector<std::string> values;
  if (!option.default_value.empty()) values.emplace_back(option.default_value);
  for (std::string_view choice : choices_of(option)) {
    if (choice != option.default_value) values.emplace_back(choice);
  }
  return values;
}

// From `...: unknown key "zzz" at 4; NAME takes a, b, c`, or `NAME takes no keys`.
inline std::set<std::string> taken_keys(const std::string& error) {
  const std::string takes = " takes ";
  const std::size_t at = error.find(takes);
  if (at == std::string::npos) return {"(no list of keys in: " + error + ")"};
  std::string_view list = std::string_view(error).substr(at + takes.size());
  std::set<std::string> keys;
  if (list == "no keys") return keys;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    keys.emplace(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return keys;
}

// "a, b, c": the names of a table, as a message about an unknown name lists them.
inline std::string listed_names(const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& entry : entries) out += (out.empty() ? "" : ", ") + std::string(entry.name);
  return out;
}

}  // namespace rein
