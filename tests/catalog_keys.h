// The keys that a catalog lists for an entry, and those that the entry itself accepts. The two must
// be the same; otherwise `rein list` and the pages disagree with the code.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace rein {

// "a=1,b=x|y,c": a, b, c. Commas inside brackets do not count.
inline std::set<std::string> listed_keys(std::string_view options) {
  std::set<std::string> keys;
  std::string key;
  bool in_key = true;
  int depth = 0;
  for (char c : options) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      keys.insert(key);
      key.clear();
      in_key = true;
    } else if (c == '=') {
      in_key = false;
    } else if (in_key && c != ' ') {
      key += c;
    }
  }
  if (!key.empty()) keys.insert(key);
  return keys;
}

// From `...: unknown key "zzz" at 4; NAME takes a, b, c`, or `NAME takes no keys`.
inline std::set<std::string> taken_keys(const std::string& error) {
  const std::string takes = " takes ";
  const std::size_t at = error.find(takes);
  if (at == std::string::npos) return {"(no list of keys in: " + error + ")"};
  const std::string list = error.substr(at + takes.size());
  return list == "no keys" ? std::set<std::string>() : listed_keys(list);
}

}  // namespace rein
