#include "world/table_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "rein/costs.h"

namespace rein {
namespace {

// "age, income" is two names.
std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view name = text.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    names.emplace_back(name);
    if (comma == text.size()) return names;
    text.remove_prefix(comma + 1);
  }
}

// Quoted text or a word.
std::optional<std::string> text_of(const SpecValue& value) {
  if (const auto* quoted = std::get_if<SpecValue::Quoted>(&value.is)) return quoted->text;
  const auto* word = std::get_if<Spec>(&value.is);
  if (word && word->options.empty()) return word->name;
  return std::nullopt;
}

// Reads a text or a list of texts, each a list of names.
std::vector<std::vector<std::string>> read_names(SpecReader& read, std::string_view key,
                                                 std::string_view accepted) {
  const SpecValue* value = read.value(key);
  if (!value) return {};
  const SpecValue::List single = {*value};
  const auto* list = std::get_if<SpecValue::List>(&value->is);
  std::vector<std::vector<std::string>> all;
  for (const SpecValue& item : list ? *list : single) {
    const auto text = text_of(item);
    auto names = split_names(text.value_or(""));
    const bool blank = std::any_of(names.begin(), names.end(), [](auto& n) { return n.empty(); });
    if (blank) read.wrong(key, item, accepted);
    all.push_back(std::move(names));
  }
  return all;
}

std::vector<std::string> flatten(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::optional<Range> range_of(const SpecValue& value) {
  if (const auto* word = std::get_if<Spec>(&value.is)) {
    if (word->name == "unknown" && word->options.empty()) return Range::unknown();
  }
  const auto* list = std::get_if<SpecValue::List>(&value.is);
  if (!list || list->size() != 2) return std::nullopt;
  const auto* low = std::get_if<double>(&(*list)[0].is);
  const auto* high = std::get_if<double>(&(*list)[1].is);
  if (!low || !high || !(*low < *high)) return std::nullopt;
  return Range{*low, *high};
}

// [low, high], or `unknown`, or a list of those.
std::vector<Range> read_ranges(SpecReader& read, std::string_view key, std::string_view accepted) {
  const SpecValue* value = read.value(key);
  if (!value) return {};
  if (const auto range = range_of(*value)) return {*range};
  std::vector<Range> ranges;
  if (const auto* list = std::get_if<SpecValue::List>(&value->is)) {
    for (const SpecValue& item : *list) {
      if (const auto range = range_of(item)) ranges.push_back(*range);
    }
    if (!list->empty() && ranges.size() == list->size()) return ranges;
  }
  read.wrong(key, *value, accepted);
  return {};
}

// columns(country=category(most=8),age=number): the kinds of some columns.
std::vector<Column> read_schema(SpecReader& read) {
  const SpecValue* value = read.value("schema");
  if (!value) return {};
  constexpr std::string_view kAccepted = "columns(NAME=KIND,...), as columns(country=category)";
  std::vector<Column> columns;
  const auto* all = std::get_if<Spec>(&value->is);
  if (!all || all->name != "columns" || all->options.empty()) {
    read.wrong("schema", *value, kAccepted);
    return {};
  }
  for (const auto& [name, kind] : all->options) {
    if (!std::holds_alternative<Spec>(kind.is)) read.wrong("schema", *value, kAccepted);
    columns.push_back({name, kind.str()});
  }
  return columns;
}

}  // namespace

TableKeys read_table_keys(SpecReader& read) {
  TableKeys keys;
  keys.context_given = read.has("context");
  keys.cost_given = read.has("cost");
  auto context = read_names(read, "context", "names of columns, or a prefix of names, as \"x_\"");
  auto reward = read_names(read, "reward", "a prefix, as \"r\", or one name per action");
  auto costs = read_names(read, "cost", "for every cost a prefix, as \"c\", or names");
  if (keys.context_given) keys.context = flatten(context);
  if (!reward.empty()) keys.reward = flatten(reward);
  if (read.has("reward") && reward.empty()) {
    read.wrong("reward", *read.value("reward"), "a prefix, as \"r\", or one name per action");
  }
  if (keys.cost_given) keys.costs = costs;
  keys.names = flatten(read_names(read, "names", "one name per cost"));
  const auto reward_range = read_ranges(read, "reward_range", "[low,high]");
  if (reward_range.size() == 1) keys.reward_range = reward_range[0];
  if (reward_range.size() > 1) {
    read.wrong("reward_range", *read.value("reward_range"), "[low,high]");
  }
  keys.cost_ranges =
      read_ranges(read, "cost_range", "[low,high], or a list of those, one per cost");
  keys.schema = read_schema(read);
  const std::size_t m = keys.costs.size();
  if (m > static_cast<std::size_t>(kMaxCosts)) {
    read.refuse(fmt::format("key \"cost\" names {} costs; accepted: 0 to {}", m, kMaxCosts));
  }
  if (!keys.names.empty() && keys.names.size() != m) {
    read.refuse(fmt::format("key \"names\" has {} names; accepted: one per cost ({})",
                            keys.names.size(), m));
  }
  if (keys.cost_ranges.size() > 1 && keys.cost_ranges.size() != m) {
    read.refuse(
        fmt::format("key \"cost_range\" has {} ranges; accepted: one for all, or one per "
                    "cost ({})",
                    keys.cost_ranges.size(), m));
  }
  return keys;
}

}  // namespace rein
