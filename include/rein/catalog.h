// The tables of everything that has a name: what `rein list` shows, and what the contract tests
// run over.
#pragma once

#include <string_view>
#include <vector>

namespace rein {

struct Entry {
  std::string_view name;
  std::string_view line;     // what it is, in one line
  std::string_view options;  // the keys it takes, with their defaults
};

std::vector<Entry> oracles();
std::vector<Entry> pricers();
std::vector<Entry> gains();
std::vector<Entry> explorers();
std::vector<Entry> policies();
std::vector<Entry> worlds();

}  // namespace rein
