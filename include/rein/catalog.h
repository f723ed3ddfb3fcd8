// The tables of everything that has a name in a spec, with the options that each takes. The
// command `rein list`, Python's `rein.list`, the site and the contract tests read them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace rein {

// One option of a spec, such as `tuning=auto`.
struct Option {
  std::string_view key;
  std::string_view default_value;  // as a spec writes it; empty: none, or derived from the problem
  std::string_view line;           // what it does, in one line of at most 80 characters
  std::string_view choices = {};   // the words that it takes, as "auto|theory"; empty: any value
};

struct Entry {
  std::string_view name;
  std::string_view line;                 // what it is, in one line
  std::span<const Option> options = {};  // sorted by key; the memory lasts as long as the program
};

std::vector<Entry> oracles();
std::vector<Entry> pricers();
std::vector<Entry> gains();
std::vector<Entry> explorers();
std::vector<Entry> policies();
std::vector<Entry> worlds();

// The option with this key, or null.
const Option* find_option(const Entry& entry, std::string_view key);

// The choices one by one: "auto|theory" gives auto, theory. Empty where any value is taken.
std::vector<std::string_view> choices_of(const Option& option);

}  // namespace rein
