#include "world/table_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/shown.h"

namespace rein {
namespace {

constexpr std::size_t kShownColumns = 12;

// Finds columns by name and by prefix.
class Columns {
 public:
  explicit Columns(std::span<const std::string_view> header) : header_(header) {}

  // Fills the index. Refuses duplicate names. Columns without a name are not indexed.
  Result<> index() {
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (header_[i].empty()) continue;
      const auto [place, fresh] = by_name_.emplace(header_[i], static_cast<int>(i));
      if (fresh) continue;
      return Error{fmt::format("column \"{}\" appears twice, as columns {} and {}",
                               shown(header_[i]), place->second + 1, i + 1)};
    }
    return {};
  }

  std::optional<int> find(std::string_view name) const {
    const auto place = by_name_.find(name);
    if (place == by_name_.end()) return std::nullopt;
    return place->second;
  }

  Result<std::vector<int>> named(std::span<const std::string> names, std::string_view role) const {
    std::vector<int> columns;
    for (const std::string& name : names) {
      const auto column = find(name);
      if (!column) return missing(name, role);
      columns.push_back(*column);
    }
    return columns;
  }

  // In the order of the file.
  std::vector<int> beginning_with(std::string_view prefix) const {
    std::vector<int> columns;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (header_[i].starts_with(prefix)) columns.push_back(static_cast<int>(i));
    }
    return columns;
  }

  // Finds the columns PREFIX0, PREFIX1, ...; empty if there are none; refused if a number is
  // missing in between.
  Result<std::vector<int>> numbered(std::string_view prefix) const {
    std::map<int, int> found;
    for (const int column : beginning_with(prefix)) {
      const std::string_view digits = header_[column].substr(prefix.size());
      int number = 0;
      const auto [end, code] =
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
      const bool whole = code == std::errc() && end == digits.data() + digits.size();
      if (!whole || number < 0 || std::to_string(number) != digits) continue;
      found[number] = column;
    }
    std::vector<int> columns;
    for (const auto& [number, column] : found) {
      const int expected = static_cast<int>(columns.size());
      if (number != expected) {
        return Error{
            fmt::format("there is a column \"{}{}\" and no \"{}{}\"; accepted: numbers "
                        "from 0 on, or the names themselves",
                        prefix, number, prefix, expected)};
      }
      columns.push_back(column);
    }
    return columns;
  }

  Error missing(std::string_view name, std::string_view role) const {
    return Error{fmt::format("no column \"{}\" for the {}; found: {}", name, role, all())};
  }

  std::string all() const {
    std::string text;
    for (std::size_t i = 0; i < std::min(header_.size(), kShownColumns); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : ", ", shown(header_[i]));
    }
    if (header_.size() > kShownColumns) {
      text += fmt::format(" and {} more", header_.size() - kShownColumns);
    }
    return text;
  }

 private:
  std::span<const std::string_view> header_;
  std::map<std::string_view, int> by_name_;
};

Result<std::vector<int>> find_context(const TableKeys& keys, const Columns& columns) {
  std::vector<int> found;
  for (const std::string& name : keys.context) {
    const auto column = columns.find(name);
    const std::vector<int> some = column ? std::vector<int>{*column} : columns.beginning_with(name);
    if (some.empty() && keys.context_given) return columns.missing(name, "context");
    found.insert(found.end(), some.begin(), some.end());
  }
  std::vector<int> sorted = found;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    return Error{"key \"context\" names a column twice"};
  }
  return found;
}

// A log of past decisions has only the action that was taken and its reward.
Error not_a_log(const Columns& columns, std::string_view name) {
  for (const char* sign : {"action", "arm", "chosen", "propensity", "pscore", "probability"}) {
    if (!columns.find(sign)) continue;
    return Error{
        fmt::format("looks like a log of decisions (it has a column \"{}\"); accepted: a "
                    "table with the outcome of every action, taken or not: {}0, {}1, ...",
                    sign, name, name)};
  }
  return columns.missing(fmt::format("{}0", name), "rewards");
}

Result<std::vector<int>> find_rewards(const TableKeys& keys, const Columns& columns) {
  if (keys.reward.size() > 1) return columns.named(keys.reward, "rewards");
  const std::string& name = keys.reward[0];
  auto found = columns.numbered(name);
  if (!found || !found.value().empty()) return found;
  if (columns.find(name)) {
    return Error{fmt::format(
        "column \"{}\" is the only reward; accepted: one column per action, as a log that knows "
        "only the action taken is not a table",
        name)};
  }
  return not_a_log(columns, name);
}

Result<std::vector<int>> find_cost(const std::vector<std::string>& names, int actions,
                                   const Columns& columns) {
  std::vector<int> found;
  if (names.size() > 1) {
    auto named = columns.named(names, "costs");
    if (!named) return named;
    found = named.value();
  } else {
    auto numbered = columns.numbered(names[0]);
    if (!numbered) return numbered;
    found = numbered.value();
    if (found.empty()) {
      const auto shared = columns.find(names[0]);
      if (!shared) return columns.missing(fmt::format("{}0", names[0]), "costs");
      return std::vector<int>(static_cast<std::size_t>(actions), *shared);
    }
  }
  if (found.size() != static_cast<std::size_t>(actions)) {
    return Error{
        fmt::format("cost \"{}\" has {} columns; accepted: one per action ({}), or one "
                    "for all",
                    fmt::join(names, ","), found.size(), actions)};
  }
  return found;
}

// The default name of a cost: the name of its columns if there are several costs.
std::string usual_name(const TableKeys& keys, std::size_t i) {
  if (keys.costs.size() == 1) return "cost";
  if (keys.costs[i].size() > 1) return fmt::format("cost_{}", i + 1);
  std::string name = keys.costs[i][0];
  while (name.size() > 1 && (name.ends_with('_') || name.ends_with('.'))) name.pop_back();
  return name;
}

Result<std::vector<CostShape>> cost_shapes_of(const TableKeys& keys) {
  std::vector<CostShape> shapes;
  for (std::size_t i = 0; i < keys.costs.size(); ++i) {
    CostShape shape{.name = keys.names.empty() ? usual_name(keys, i) : keys.names[i]};
    if (!keys.cost_ranges.empty()) {
      shape.range = keys.cost_ranges[keys.cost_ranges.size() == 1 ? 0 : i];
    }
    for (const CostShape& other : shapes) {
      if (other.name == shape.name) {
        return Error{
            fmt::format("two costs are called \"{}\"; accepted: names= with one name per "
                        "cost, all different",
                        shape.name)};
      }
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Result<> check_apart(const TableSchema& schema) {
  std::vector<char> is_outcome(schema.header.size(), 0);
  for (const int column : schema.outcomes) is_outcome[column] = 1;
  for (const int column : schema.context) {
    if (is_outcome[column] == 0) continue;
    return Error{
        fmt::format("column \"{}\" is context and outcome; accepted: one of them, as a "
                    "context is known before the action is chosen",
                    shown(schema.header[column]))};
  }
  return {};
}

// Makes the encoder of the context. Columns that key schema does not name stay as they are.
Result<> add_encoder(const TableKeys& keys, const Columns& columns, TableSchema& schema) {
  if (keys.schema.empty()) return {};
  std::vector<Column> all;
  for (const int column : schema.context) {
    all.push_back({schema.header[column], "number(scale=none)"});
  }
  schema.encoded.assign(all.size(), 0);
  for (const Column& given : keys.schema) {
    if (!columns.find(given.name)) return columns.missing(given.name, "schema");
    const auto place = std::find_if(all.begin(), all.end(),
                                    [&](const Column& each) { return each.name == given.name; });
    if (place == all.end()) {
      return Error{
          fmt::format("key \"schema\" names column \"{}\", which is not in the context; "
                      "accepted: columns that key \"context\" names",
                      given.name)};
    }
    place->kind = given.kind;
    schema.encoded[static_cast<std::size_t>(place - all.begin())] = 1;
  }
  auto made = Schema::make(all);
  if (!made) return made.failure();
  schema.encoder = std::move(made).value();
  return {};
}

}  // namespace

Result<TableSchema> find_columns(const TableKeys& given, std::span<const std::string_view> header) {
  TableKeys keys = given;
  Columns columns(header);
  if (auto ok = columns.index(); !ok) return ok.failure();
  TableSchema schema;
  schema.header.assign(header.begin(), header.end());
  schema.reward = keys.reward_range;

  auto rewards = find_rewards(keys, columns);
  if (!rewards) return rewards.failure();
  schema.outcomes = rewards.value();
  schema.actions = static_cast<int>(schema.outcomes.size());

  auto context = find_context(keys, columns);
  if (!context) return context.failure();
  schema.context = context.value();

  if (!keys.cost_given) {
    auto usual = columns.numbered(keys.costs[0][0]);
    if (usual && usual.value().empty()) keys.costs.clear();
  }
  auto costs = cost_shapes_of(keys);
  if (!costs) return costs.failure();
  schema.costs = costs.value();
  for (const auto& names : keys.costs) {
    auto found = find_cost(names, schema.actions, columns);
    if (!found) return found.failure();
    schema.outcomes.insert(schema.outcomes.end(), found.value().begin(), found.value().end());
  }
  if (auto ok = check_apart(schema); !ok) return ok.failure();
  if (auto ok = add_encoder(keys, columns, schema); !ok) return ok.failure();
  return schema;
}

}  // namespace rein
