#include "serve/round_in.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "serve/names.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

void check_features(std::size_t found, const Shape& shape, const std::string& field) {
  if (found == as_size(shape.features)) return;
  throw invalid(field, fmt::format("found {} numbers; accepted: {}", found, shape.features));
}

}  // namespace

Cell cell_of(const Json& given, ColumnKind kind, const std::string& field,
             std::deque<std::string>& texts) {
  const bool words = kind == ColumnKind::kCategory || kind == ColumnKind::kText;
  const auto text = [&](std::string value) {
    return Cell::of(texts.emplace_back(std::move(value)));
  };
  if (std::holds_alternative<std::monostate>(given.is)) return Cell::missing();
  if (const auto* found = std::get_if<std::string>(&given.is)) return text(*found);
  if (const auto* truth = std::get_if<bool>(&given.is)) {
    return words ? text(*truth ? "true" : "false") : Cell::of(*truth);
  }
  if (!std::holds_alternative<std::int64_t>(given.is) &&
      !std::holds_alternative<double>(given.is)) {
    throw invalid(field, fmt::format("found {}; accepted: a number, a text, true, false or null",
                                     shown(given)));
  }
  return words ? text(given.str()) : Cell::of(number_of(given, field));
}

void check_key(std::string_view key, const std::string& field) {
  constexpr std::size_t kMostBytes = 256;
  if (!key.empty() && key.size() <= kMostBytes) return;
  throw invalid(field, fmt::format("found {} bytes; accepted: 1 to {}", key.size(), kMostBytes));
}

std::vector<std::pair<std::string, std::string>> read_scopes(const Json& given,
                                                             const std::string& field) {
  const Json::Object* object = object_in(given);
  if (object == nullptr) {
    throw invalid(field, fmt::format("found {}; accepted: an object such as {{\"tenant\": "
                                     "\"acme\"}}",
                                     shown(given)));
  }
  std::vector<std::pair<std::string, std::string>> scopes;
  for (const auto& [dimension, key] : *object) {
    const auto* number = std::get_if<std::int64_t>(&key.is);
    const std::string place = fmt::format("{}.{}", field, dimension);
    scopes.emplace_back(dimension,
                        number != nullptr ? std::to_string(*number) : text_of(key, place));
    check_key(scopes.back().second, place);
  }
  return scopes;
}

RoundIn::RoundIn(Fields& fields, const Engine& engine) {
  const Shape& shape = engine.policy().shape();
  read_actions(fields.find("actions"), engine, fields.path("actions"));
  if (const Json* given = fields.find("context")) {
    read_context(*given, engine, fields.path("context"));
  } else if (shape.context > 0) {
    throw invalid(fields.path("context"), "not found; accepted: the context of the round");
  }
  if (const Json* given = fields.find("scopes"))
    scopes = read_scopes(*given, fields.path("scopes"));
  if (const Json* given = fields.find("run")) run = id_of(*given, fields.path("run"), "a run");
  const FindAction find = find_in(engine);
  if (const Json* given = fields.find("largest_costs")) {
    largest = read_by_action(*given, ids, shape.costs, find, fields.path("largest_costs"));
  }
  if (const Json* given = fields.find("most_costs")) {
    const Costs costs = read_costs(*given, shape.costs, fields.path("most_costs"), 4e12);
    most.assign(costs.begin(), costs.end());
  }
  if (const Json* given = fields.find("expected_costs")) {
    expected = read_by_action(*given, ids, shape.costs, find, fields.path("expected_costs"));
  }
  if (const Json* given = fields.find("baseline")) {
    read_baseline(*given, find, fields.path("baseline"));
  }
}

// {"small": 0.3, "large": 0.7}, or one probability per action. Actions that are left out have 0.
void RoundIn::read_baseline(const Json& given, const FindAction& find, const std::string& field) {
  baseline.assign(ids.size(), 0.0);
  if (const Json::Object* object = object_in(given)) {
    for (const auto& [name, value] : *object) {
      const auto place = std::ranges::find(ids, find(Json(name), field));
      if (place == ids.end()) {
        throw invalid(field, fmt::format("found \"{}\", which the round does not offer; accepted: "
                                         "its actions",
                                         name));
      }
      baseline[static_cast<std::size_t>(place - ids.begin())] = number_of(value, field);
    }
    return;
  }
  if (!std::holds_alternative<Json::List>(given.is)) {
    throw invalid(field, fmt::format("found {}; accepted: an object by action, or a list with one "
                                     "number per action",
                                     shown(given)));
  }
  const Json::List& list = list_of(given, field);
  if (list.size() != ids.size()) {
    throw invalid(field, fmt::format("found {} numbers; accepted: {}, one per action", list.size(),
                                     ids.size()));
  }
  for (std::size_t i = 0; i < list.size(); ++i) baseline[i] = number_of(list[i], field);
}

void RoundIn::read_context(const Json& given, const Engine& engine, const std::string& field) {
  const Schema* schema = engine.schema();
  if (const Json::Object* object = object_in(given)) {
    if (schema == nullptr) {
      throw invalid(field,
                    "found an object, and the model's context has no names; accepted: a "
                    "list of numbers");
    }
    read_row(*object, *schema, field);
    return;
  }
  if (schema != nullptr) {
    throw invalid(field, fmt::format("found {}, and the model's context has names; accepted: an "
                                     "object with these names",
                                     shown(given)));
  }
  const Json::List& list = list_of(given, field);
  const auto wanted = as_size(engine.policy().shape().context);
  if (list.size() != wanted) {
    throw invalid(field, fmt::format("found {} numbers; accepted: {}", list.size(), wanted));
  }
  context.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const auto* number = std::get_if<double>(&list[i].is)) {
      context.push_back(*number);
    } else {
      context.push_back(number_of(list[i], fmt::format("{}[{}]", field, i)));
    }
  }
}

void RoundIn::read_row(const Json::Object& given, const Schema& schema, const std::string& field) {
  std::vector<std::string_view> names;
  names.reserve(given.size());
  for (const auto& member : given) names.emplace_back(member.first);
  const auto places = schema.places(names);
  if (!places) throw invalid(field, places.error());
  row.resize(places.value().size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int at = places.value()[i];
    if (at < 0) continue;  // missing
    const auto& [name, value] = given[as_size(at)];
    row[i] = cell_of(value, schema.kind(i), fmt::format("{}.{}", field, name), texts_);
  }
}

void RoundIn::read_actions(const Json* given, const Engine& engine, const std::string& field) {
  const Shape& shape = engine.policy().shape();
  if (given == nullptr) {
    if (shape.features > 0) {
      throw invalid(field,
                    "not found; accepted: every action with its features, because the model "
                    "has action_features");
    }
    ids.assign(engine.offered().begin(), engine.offered().end());
    return;
  }
  const FindAction find = find_in(engine);
  const Json::List& list = list_of(*given, field);
  const std::size_t all = engine.offered().size();
  if (list.empty() || list.size() > all) {
    throw invalid(field, fmt::format("found {}; accepted: 1 to {} actions", list.size(), all));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", field, i);
    if (object_in(list[i]) == nullptr) {
      ids.push_back(find(list[i], place));
      check_features(0, shape, place + ".features");
      continue;
    }
    Fields action(list[i], place);
    ids.push_back(find(action.get("id"), action.path("id")));
    const std::size_t before = features.size();
    if (const Json* numbers = action.find("features")) {
      for (const Json& number : list_of(*numbers, action.path("features"))) {
        features.push_back(number_of(number, action.path("features")));
      }
    }
    action.done();
    check_features(features.size() - before, shape, action.path("features"));
  }
  std::vector<std::int32_t> sorted = ids;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return;
  throw invalid(field, fmt::format("found \"{}\" twice; accepted: each action once",
                                   action_text(engine, *twice)));
}

Round RoundIn::round() const {
  return {.actions = static_cast<int>(ids.size()),
          .context = context,
          .features = features,
          .ids = ids,
          .expected_costs = expected,
          .baseline = baseline};
}

DecideOptions RoundIn::options() {
  views_.clear();
  for (const auto& [dimension, key] : scopes) views_.push_back({dimension, key});
  return {.row = row, .scopes = views_, .largest_costs = largest, .most_costs = most, .run = run};
}

bool RoundIn::only(std::int32_t id, const Engine& engine) {
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found == ids.end()) return false;
  const auto place = static_cast<std::size_t>(found - ids.begin());
  const auto keep = [&](std::vector<double>& rows, std::size_t size) {
    if (rows.empty()) return;
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(place * size);
    rows = std::vector<double>(first, first + static_cast<std::ptrdiff_t>(size));
  };
  const Shape& shape = engine.policy().shape();
  keep(features, as_size(shape.features));
  keep(largest, shape.costs.size());
  keep(expected, shape.costs.size());
  baseline.clear();  // the probability of a single action of several is no policy
  ids = {id};
  return true;
}

}  // namespace rein::serve
