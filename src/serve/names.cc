#include "serve/names.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/size.h"

namespace rein::serve {
namespace {

// The text of a name that may be a number: 7 and "7" are the same.
std::string name_in(const Json& given, const std::string& field) {
  if (const auto* whole = std::get_if<std::int64_t>(&given.is)) return std::to_string(*whole);
  return text_of(given, field);
}

// Actions without names are numbers.
std::int32_t place_in(const Json& given, int actions, const std::string& field) {
  std::int64_t found = -1;
  if (const auto* text = std::get_if<std::string>(&given.is)) {  // a key of an object
    if (text->size() <= 7 && !text->empty() &&
        text->find_first_not_of("0123456789") == std::string::npos) {
      found = std::stoll(*text);
    }
  } else {
    found = whole_of(given, field);
  }
  if (found >= 0 && found < actions) return static_cast<std::int32_t>(found);
  throw invalid(field, fmt::format("found {}; accepted: 0 to {}", shown(given), actions - 1));
}

int cost_of(std::string_view name, std::span<const CostShape> costs, const std::string& field) {
  std::string names;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].name == name) return static_cast<int>(i);
    names += (i == 0 ? "" : ", ") + costs[i].name;
  }
  throw invalid(field, fmt::format("found a cost \"{}\"; accepted: {}", name,
                                   names.empty() ? "none, because the model has no costs" : names));
}

std::string unknown_action(const Json& given, std::span<const std::string> names) {
  std::string known;
  for (const std::string& each : names.first(std::min<std::size_t>(names.size(), 20))) {
    known += (known.empty() ? "" : ", ") + each;
  }
  return fmt::format("found {}; accepted: {}{}", shown(given), known,
                     names.size() > 20 ? ", ..." : "");
}

}  // namespace

FindAction find_in(const Engine& engine) {
  if (engine.options().actions.empty()) {
    return [&engine](const Json& given, const std::string& field) {
      return place_in(given, engine.ids(), field);
    };
  }
  return [&engine](const Json& given, const std::string& field) {
    const auto id = engine.action_id(name_in(given, field));
    if (id) return id.value();
    std::vector<std::string> names;
    for (const std::int32_t each : engine.offered()) names.emplace_back(engine.action_name(each));
    throw invalid(field, unknown_action(given, names));
  };
}

FindAction find_in(std::span<const std::string> names, int actions) {
  if (names.empty()) {
    return [actions](const Json& given, const std::string& field) {
      return place_in(given, actions, field);
    };
  }
  return [names](const Json& given, const std::string& field) {
    const std::string name = name_in(given, field);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<std::int32_t>(i);
    }
    throw invalid(field, unknown_action(given, names));
  };
}

Costs read_costs(const Json& given, std::span<const CostShape> costs, const std::string& field,
                 double otherwise) {
  Costs found(static_cast<int>(costs.size()), otherwise);
  std::vector<bool> set(costs.size(), !std::isnan(otherwise) || is_missing(otherwise));
  const auto put = [&](int i, const Json& value) {
    if (std::holds_alternative<std::monostate>(value.is)) return;
    found[i] = number_of(value, fmt::format("{}.{}", field, costs[as_size(i)].name));
    set[as_size(i)] = true;
  };
  if (const Json::Object* object = object_in(given)) {
    for (const auto& [name, value] : *object) put(cost_of(name, costs, field), value);
  } else if (const auto* list = std::get_if<Json::List>(&given.is)) {
    if (list->size() != costs.size()) {
      throw invalid(field, fmt::format("found {} numbers; accepted: {}, one per cost", list->size(),
                                       costs.size()));
    }
    for (std::size_t i = 0; i < list->size(); ++i) put(static_cast<int>(i), (*list)[i]);
  } else if (costs.size() == 1) {
    put(0, given);
  } else {
    throw invalid(
        field, fmt::format("found {}; accepted: an object with one number per cost", shown(given)));
  }
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!set[i]) {
      throw invalid(field, fmt::format("cost \"{}\" is missing; accepted: a number for every cost",
                                       costs[i].name));
    }
  }
  return found;
}

std::vector<double> read_by_action(const Json& given, std::span<const std::int32_t> ids,
                                   std::span<const CostShape> costs, const FindAction& find,
                                   const std::string& field) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> rows(ids.size() * costs.size(), nan);
  const auto put = [&](std::size_t row, const Json& value, const std::string& where) {
    const Costs one = read_costs(value, costs, where, nan);
    std::copy(one.begin(), one.end(),
              rows.begin() + static_cast<std::ptrdiff_t>(row * costs.size()));
  };
  if (const Json::Object* object = object_in(given)) {
    for (const auto& [name, value] : *object) {
      const std::int32_t id = find(Json(name), field);
      for (std::size_t row = 0; row < ids.size(); ++row) {
        if (ids[row] == id) put(row, value, fmt::format("{}.{}", field, name));
      }
    }
  } else {
    if (!std::holds_alternative<Json::List>(given.is)) {
      throw invalid(field,
                    fmt::format("found {}; accepted: an object by action, or a list with one "
                                "entry per action",
                                shown(given)));
    }
    const Json::List& list = list_of(given, field);
    if (list.size() != ids.size()) {
      throw invalid(field, fmt::format("found {} rows; accepted: {}, one per action", list.size(),
                                       ids.size()));
    }
    for (std::size_t row = 0; row < ids.size(); ++row) {
      put(row, list[row], fmt::format("{}[{}]", field, row));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isnan(rows[i])) {
      throw invalid(field, fmt::format("nothing for action number {}; accepted: every action",
                                       i / costs.size()));
    }
  }
  return rows;
}

void write_action(JsonWriter& json, const Engine& engine, std::int32_t id) {
  const EngineOptions& options = engine.options();
  if (options.actions.empty()) {
    json.value(static_cast<std::int64_t>(id));
  } else if (engine.action_name(id).empty()) {  // removed, and its place is used again
    json.value(action_text(engine, id));
  } else if (options.numbered) {
    json.value(static_cast<std::int64_t>(std::stoll(std::string(engine.action_name(id)))));
  } else {
    json.value(engine.action_name(id));
  }
}

std::string action_text(const Engine& engine, std::int32_t id) {
  if (engine.options().actions.empty()) return std::to_string(id);
  const std::string_view name = engine.action_name(id);
  return name.empty() ? fmt::format("removed {}", id) : std::string(name);
}

void write_costs(JsonWriter& json, std::span<const CostShape> costs, const Costs& values) {
  json.begin_object();
  for (int i = 0; i < values.size() && as_size(i) < costs.size(); ++i) {
    json.key(costs[as_size(i)].name).value(values[i]);
  }
  json.end_object();
}

}  // namespace rein::serve
