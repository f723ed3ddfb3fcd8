// What the tables of oracles, pricers, explorers, policies and worlds have in common.
#pragma once

#include <string_view>
#include <vector>

#include "rein/catalog.h"
#include "rein/own.h"
#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

// A line of a table: the text that people read, and the function that makes the named thing.
template <class Make>
struct TableRow {
  Entry entry;
  Make make;
};

// The same option with another default, for another entry.
constexpr Option with_default(Option option, std::string_view value) {
  option.default_value = value;
  return option;
}

// `oracle spec: unknown name "vow" at 4; accepted: vaw, ons, ...`
Error unknown_name(std::string_view what, const Spec& spec, const std::vector<Entry>& entries);

template <class Row, std::size_t N>
std::vector<Entry> entries_of(const Row (&table)[N]) {
  std::vector<Entry> entries;
  for (const Row& row : table) entries.push_back(row.entry);
  return entries;
}

// The maker of a row that uses nothing of the caller's own: without_own<make>.
template <auto make>
struct WithoutOwn;
template <class Made, class... Args, Made (*make)(Args...)>
struct WithoutOwn<make> {
  static Made made(Args... args, const Own&) { return make(args...); }
};
template <auto make>
inline constexpr auto without_own = WithoutOwn<make>::made;

// Makes the thing whose row the spec names, or says which names there are.
template <class Row, std::size_t N, class... Args>
auto make_from(const Row (&table)[N], std::string_view what, const Spec& spec, const Args&... args)
    -> decltype(table[0].make(spec, args...)) {
  for (const Row& row : table) {
    if (row.entry.name == spec.name) return row.make(spec, args...);
  }
  return unknown_name(what, spec, entries_of(table));
}

}  // namespace rein
