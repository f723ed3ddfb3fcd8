#include "log/csv_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "base/text_number.h"

namespace rein {
namespace {

// The options with which the file of `rein export --format csv` is read.
LogOptions as_exported(LogOptions options) {
  options.context = "context.";
  options.action = "action";
  options.propensity = "probability";
  options.reward = "reward";
  options.cost = "cost";
  options.weight = "weight";
  options.time = "at";
  return options;
}

bool has(std::span<const std::string_view> fields, std::string_view name) {
  return std::ranges::find(fields, name) != fields.end();
}

// The names of the columns, for messages.
std::string joined(std::span<const std::string_view> fields) {
  constexpr std::size_t kShown = 300;
  std::string out;
  for (const auto field : fields) out += (out.empty() ? "" : ", ") + std::string(field);
  if (out.size() > kShown) out = out.substr(0, kShown) + "...";
  std::ranges::replace_if(
      out, [](char c) { return c < ' ' || c > '~'; }, '?');
  const bool other =
      fields.size() == 1 && fields[0].find_first_of(";\t|") != std::string_view::npos;
  return other ? out + ": columns are separated by commas" : out;
}

// `c_NAME` and `cost.NAME` are costs; `c` alone is a cost with the name "cost".
std::string cost_name(std::string_view field, const std::string& prefix) {
  if (field == prefix) return "cost";
  if (!field.starts_with(prefix) || field.size() < prefix.size() + 2) return {};
  const char mark = field[prefix.size()];
  return mark == '_' || mark == '.' ? std::string(field.substr(prefix.size() + 1)) : std::string();
}

// A column that the caller names must be there; a default need not.
Result<> check_named(std::span<const std::string_view> fields, const LogOptions& given) {
  const LogOptions usual;
  const auto missing = [&](const std::string& name, std::string_view of) {
    return Error{fmt::format("found no column \"{}\" for the {} in the header ({})", name, of,
                             joined(fields))};
  };
  if (given.propensity != usual.propensity && !has(fields, given.propensity)) {
    return missing(given.propensity, "propensity");
  }
  if (given.reward != usual.reward && !has(fields, given.reward)) {
    return missing(given.reward, "reward");
  }
  const bool paid = std::ranges::any_of(
      fields, [&](std::string_view field) { return !cost_name(field, given.cost).empty(); });
  if (given.cost != usual.cost && !paid) return missing(given.cost + "_NAME", "costs");
  if (!given.unit.empty() && !has(fields, given.unit)) return missing(given.unit, "unit");
  for (const std::string& column : given.columns) {
    if (!has(fields, column)) return missing(column, "context");
  }
  return {};
}

bool is_context(std::string_view field, const LogOptions& options) {
  if (options.columns.empty())
    return field.size() > options.context.size() && field.starts_with(options.context);
  return std::ranges::find(options.columns, field) != options.columns.end();
}

struct Wanted {
  const std::string& name;
  int& column;
};

Result<CsvHeader> match(std::span<const std::string_view> fields, const LogOptions& options) {
  CsvHeader header;
  header.fields = fields.size();
  const std::string actions = "actions", probabilities = "probabilities", state = "state";
  const Wanted single[] = {{options.action, header.action},
                           {options.propensity, header.propensity},
                           {options.reward, header.reward},
                           {options.weight, header.weight},
                           {options.time, header.time},
                           {options.id, header.id},
                           {actions, header.actions},
                           {probabilities, header.probabilities},
                           {state, header.state}};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view field = fields[i];
    if (std::ranges::count(fields, field) > 1) {
      return Error{fmt::format("found two columns \"{}\"; accepted: names that differ", field)};
    }
    const int column = static_cast<int>(i);
    const bool unit = !options.unit.empty() && field == options.unit;
    if (unit) header.unit = column;
    const auto found =
        std::ranges::find_if(single, [&](const Wanted& w) { return w.name == field; });
    if (found != std::end(single)) {
      found->column = column;
    } else if (is_context(field, options)) {
      header.context.push_back(column);
      header.context_names.emplace_back(
          options.columns.empty() ? field.substr(options.context.size()) : field);
    } else if (std::string name = cost_name(field, options.cost); !name.empty()) {
      header.costs.push_back(column);
      header.cost_names.push_back(std::move(name));
    } else if (!unit) {
      header.unused.emplace_back(field);
    }
  }
  return header;
}

}  // namespace

Result<CsvHeader> read_header(std::span<const std::string_view> fields, const LogOptions& given) {
  std::vector<std::string_view> names;
  for (const auto field : fields) names.push_back(trimmed(field));
  LogOptions options = given;
  if (!has(names, options.action) && options.action == LogOptions().action &&
      has(names, "action") && has(names, "probability")) {
    options = as_exported(options);
  }
  if (!has(names, options.action)) {
    return Error{
        fmt::format("found no column \"{}\" for the action in the header ({}); accepted: a "
                    "column of that name, or the option that names it",
                    options.action, joined(names))};
  }
  if (auto there = check_named(names, given); !there) return there.failure();
  auto header = match(names, options);
  if (header && header.value().costs.size() > as_size(kMaxCosts)) {
    return Error{fmt::format("found {} costs; accepted: at most {}", header.value().costs.size(),
                             kMaxCosts)};
  }
  return header;
}

}  // namespace rein
