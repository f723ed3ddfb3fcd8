#include "serve/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <random>

#include "base/size.h"
#include "serve/keep.h"
#include "serve/names.h"
#include "serve/oversight.h"

namespace rein::serve {
namespace {

std::uint64_t entropy() {
  static thread_local std::random_device device;  // getrandom() or /dev/urandom
  return (std::uint64_t{device()} << 32U) | device();
}

int size_of(Fields& fields, std::string_view name, int otherwise, int most) {
  const std::int64_t found = fields.whole(name, otherwise);
  if (found >= 0 && found <= most) return static_cast<int>(found);
  throw invalid(fields.path(name), fmt::format("found {}; accepted: 0 to {}", found, most));
}

Range range_of(const Json& given, const std::string& field) {
  const auto* list = std::get_if<Json::List>(&given.is);
  if (list == nullptr) return {0.0, number_of(given, field)};  // 5 is short for [0, 5]
  if (list->size() != 2) {
    throw invalid(field, fmt::format("found {} numbers; accepted: [low, high]", list->size()));
  }
  const auto end = [&](const Json& value, double unknown) {
    return std::holds_alternative<std::monostate>(value.is) ? unknown : number_of(value, field);
  };
  return {end((*list)[0], -kUnknownEnd), end((*list)[1], kUnknownEnd)};
}

void read_actions(const Json& given, ModelPlan& plan) {
  if (!std::holds_alternative<Json::List>(given.is)) {
    const std::int64_t count = whole_of(given, "actions");
    if (count < 1 || count > kMaxActions) {
      throw invalid("actions", fmt::format("found {}; accepted: names, or a number from 1 to {}",
                                           count, kMaxActions));
    }
    plan.shape.actions = static_cast<int>(count);
    return;
  }
  const Json::List& list = list_of(given, "actions");
  plan.options.numbered = !list.empty();
  for (const Json& each : list) {
    const auto* number = std::get_if<std::int64_t>(&each.is);
    plan.options.numbered = plan.options.numbered && number != nullptr;
    plan.options.actions.push_back(number != nullptr ? std::to_string(*number)
                                                     : text_of(each, "actions"));
  }
  plan.shape.actions = static_cast<int>(list.size());
}

void read_context(Fields& fields, ModelPlan& plan) {
  const Json* given = fields.find("context");
  SchemaOptions options;
  const auto word = [&](const char* name, const char* plain, const char* other) {
    const std::string found = fields.text(name, plain);
    if (found != plain && found != other) {
      throw invalid(name, fmt::format("found \"{}\"; accepted: {} or {}", found, plain, other));
    }
    return found == other;
  };
  options.ignore_extra = word("extra", "refuse", "ignore");
  options.absent_missing = word("absent", "refuse", "missing");
  if (given == nullptr) return;
  const Json::Object* columns = object_in(*given);
  if (columns == nullptr) {
    plan.shape.context = size_of(fields, "context", 0, kMaxFeatures);
    return;
  }
  std::vector<Column> declared;
  for (const auto& [name, kind] : *columns) {
    declared.push_back({name, text_of(kind, fmt::format("context.{}", name))});
  }
  auto schema = taken(Schema::make(declared, options), "context");
  plan.shape.context = schema.size();
  plan.options.schema = std::make_shared<const Schema>(std::move(schema));
}

void read_costs_of(const Json& given, Shape& shape) {
  if (const Json::Object* object = object_in(given)) {
    for (const auto& [name, range] : *object) {
      const bool unknown = std::holds_alternative<std::monostate>(range.is);
      shape.costs.push_back(
          {name, unknown ? Range::unknown() : range_of(range, fmt::format("costs.{}", name))});
    }
    return;
  }
  for (const Json& name : list_of(given, "costs")) {
    shape.costs.push_back({text_of(name, "costs"), Range::unknown()});
  }
}

struct Unit {
  std::string_view name;
  std::int64_t seconds;
};
constexpr std::array kUnits = std::to_array<Unit>({{"seconds", 1},
                                                   {"second", 1},
                                                   {"minutes", 60},
                                                   {"minute", 60},
                                                   {"hours", 3600},
                                                   {"hour", 3600},
                                                   {"days", 86'400}});

// A number, or numbers by key: {"acme": 25, "*": 5}. "*" is all other keys.
double read_amount(const Json& given, const std::string& field, std::vector<KeyAmount>& amounts) {
  const Json::Object* by_key = object_in(given);
  if (by_key == nullptr) return number_of(given, field);
  std::optional<double> others;
  for (const auto& [key, amount] : *by_key) {
    const double found = number_of(amount, fmt::format("{}.{}", field, key));
    if (key == "*") {
      others = found;
    } else {
      amounts.push_back({key, found});
    }
  }
  if (others) return *others;
  throw invalid(field, "found no \"*\"; accepted: \"*\" too, the amount of all keys that are not "
                       "named (0: nothing)");
}

Budget read_budget(const Json& given, const std::string& field) {
  if (const auto* text = std::get_if<std::string>(&given.is)) {
    return taken(parse_budget(*text), field.c_str());
  }
  Fields fields(given, field);
  // The words follow the rules of a budget's text form.
  const std::string per = per_in_ticks(fields.text("per", "run"));
  const std::string zone = fields.text("zone", "UTC");
  Spec spec("budget");
  const auto quoted = [](const std::string& text) { return SpecValue{SpecValue::Quoted{text}}; };
  spec.set("name", quoted(text_of(fields.get("name"), fields.path("name"))));
  spec.set("cost", quoted(text_of(fields.get("cost"), fields.path("cost"))));
  std::vector<KeyAmount> amounts;
  spec.set("amount", SpecValue{read_amount(fields.get("amount"), fields.path("amount"), amounts)});
  spec.set("per", quoted(per));
  spec.set("zone", quoted(zone));
  spec.set("hard", SpecValue{fields.truth("hard", false) ? 1.0 : 0.0});
  spec.set("hold", quoted(fields.text("hold", "largest")));
  spec.set("carry", SpecValue{fields.truth("carry", false) ? 1.0 : 0.0});
  spec.set("scope", quoted(fields.text("scope", "")));
  spec.set("rounds", SpecValue{static_cast<double>(fields.whole("rounds", 0))});
  spec.set("keep", SpecValue{static_cast<double>(fields.whole("keep", 0))});
  spec.set("named", SpecValue{fields.truth("named", false) ? 1.0 : 0.0});
  fields.find("notices");  // oversight_plan.cc reads them
  fields.find("pause_at");
  fields.done();
  Budget budget = taken(parse_budget(spec.str()), field.c_str());
  budget.amounts = std::move(amounts);
  return budget;
}

void read_money(Fields& fields, ModelPlan& plan) {
  const Shape& shape = plan.shape;
  EngineOptions& options = plan.options;
  const FindAction find = find_in(options.actions, shape.actions);
  std::vector<std::int32_t> ids(as_size(shape.actions));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i);
  if (const Json* given = fields.find("budgets")) {
    const Json::List& list = list_of(*given, "budgets");
    for (std::size_t i = 0; i < list.size(); ++i) {
      options.budgets.push_back(read_budget(list[i], fmt::format("budgets[{}]", i)));
    }
  }
  if (const Json* given = fields.find("largest_costs")) {
    const auto rows = read_by_action(*given, ids, shape.costs, find, "largest_costs");
    const std::size_t m = shape.costs.size();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      options.largest_costs.emplace_back(std::span(rows).subspan(i * m, m));
    }
  }
  if (const Json* given = fields.find("expected_costs")) {
    plan.expected = read_by_action(*given, ids, shape.costs, find, "expected_costs");
  }
  if (const Json* given = fields.find("safe_action")) {
    options.safe_action = find(*given, "safe_action");
  }
  if (const Json* given = fields.find("safe_cost")) {
    options.safe_cost = read_costs(*given, shape.costs, "safe_cost", kMissing);
  }
}

void read_memory(Fields& fields, ModelPlan& plan) {
  EngineOptions& options = plan.options;
  options.expire_after = fields.whole("expire_after", kUsualExpiry);
  if (const Json* given = fields.find("default_outcome")) {
    Fields parts(*given, "default_outcome");
    Outcome outcome;
    outcome.reward = parts.number("reward", kMissing);
    if (const Json* costs = parts.find("costs")) {
      outcome.costs = read_costs(*costs, plan.shape.costs, "default_outcome.costs", kMissing);
    }
    parts.done();
    options.default_outcome = outcome;
  }
  options.most_open = fields.whole("most_open", options.most_open);
  options.remember = fields.whole("remember", options.remember);
  options.most_keys = size_of(fields, "most_keys", options.most_keys, kMaxKeys);
  const Json* seed = fields.find("seed");
  options.seed = seed != nullptr ? static_cast<std::uint64_t>(whole_of(*seed, "seed")) : entropy();
  options.secret = {entropy(), entropy()};
}

void read_hashed(Fields& fields, ModelPlan& plan) {
  const Json* given = fields.find("hashed");
  if (given == nullptr) return;
  constexpr int kMostBuckets = 4096;
  Fields sizes(*given, "hashed");
  plan.hashed.context = size_of(sizes, "context", 32, kMostBuckets);
  plan.hashed.features = size_of(sizes, "features", 32, kMostBuckets);
  sizes.done();
  if (plan.shape.context != 0 || plan.shape.features != 0 || !plan.options.actions.empty()) {
    throw invalid("hashed",
                  "found beside a context, action_features or names of actions; "
                  "accepted: actions as the largest number of them, and nothing else");
  }
  plan.shape.context = plan.hashed.context;
  plan.shape.features = plan.hashed.features;
}

}  // namespace

std::string per_in_ticks(const std::string& per) {
  const bool rolling = per.starts_with("last ");
  const std::string_view rest = std::string_view(per).substr(rolling ? 5 : 0);
  std::int64_t count = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  if (code != std::errc() || count <= 0 || count > kMaxClock / 86'400) return per;
  for (const Unit& unit : kUnits) {
    if (std::string_view(end, rest.data() + rest.size()) != fmt::format(" {}", unit.name)) continue;
    return fmt::format("{}{} ticks", rolling ? "last " : "", count * unit.seconds);
  }
  return per;
}

std::string per_in_seconds(const Window& window) {
  std::string per = per_of(window);
  if (per.ends_with(" ticks")) per.replace(per.size() - 5, 5, "seconds");
  return per;
}

std::string_view name_of(Mode mode) {
  constexpr std::array<std::string_view, 3> kNames = {"online", "shadow", "logging"};
  return kNames[static_cast<std::size_t>(mode)];
}

void read_conduct(Fields& fields, const std::function<std::int32_t(const Json&)>& find,
                  Conduct& conduct) {
  constexpr std::array<std::string_view, 6> kStatuses = {"over",  "infeasible", "unspent",
                                                         "class", "changed",    "past"};
  if (const Json* given = fields.find("mode")) {
    const std::string& found = text_of(*given, "mode");
    bool known = false;
    for (const Mode mode : {Mode::kOnline, Mode::kShadow, Mode::kLogging}) {
      if (found != name_of(mode)) continue;
      conduct.mode = mode;
      known = true;
    }
    if (!known) {
      throw invalid("mode", fmt::format("found \"{}\"; accepted: online, shadow, logging", found));
    }
  }
  if (const Json* given = fields.find("baseline")) conduct.baseline = find(*given);
  if (const Json* given = fields.find("fallback")) {
    conduct.fallback.clear();
    for (const Json& each : list_of(*given, "fallback")) {
      const std::string& word = text_of(each, "fallback");
      if (std::ranges::find(kStatuses, word) == kStatuses.end()) {
        throw invalid("fallback",
                      fmt::format("found \"{}\"; accepted: {}", word, fmt::join(kStatuses, ", ")));
      }
      conduct.fallback.push_back(word);
    }
  }
  if (conduct.baseline < 0 && (conduct.mode != Mode::kOnline || !conduct.fallback.empty())) {
    throw invalid("baseline",
                  "not found; accepted: an action, because the mode or the fallback "
                  "needs one");
  }
}

ModelPlan read_document(const Json& document) {
  Fields fields(document);
  ModelPlan plan;
  plan.shape.reward = Range::unknown();
  plan.policy = fields.text("policy", "ccb");
  read_actions(fields.get("actions"), plan);
  read_context(fields, plan);
  plan.shape.features = size_of(fields, "action_features", 0, kMaxFeatures);
  if (const Json* given = fields.find("costs")) read_costs_of(*given, plan.shape);
  if (const Json* given = fields.find("reward")) plan.shape.reward = range_of(*given, "reward");
  plan.shape.rounds = fields.whole("rounds", 0);
  read_money(fields, plan);
  read_memory(fields, plan);
  read_hashed(fields, plan);
  if (const Json* given = fields.find("keep")) {
    const std::string& text = text_of(*given, "keep");
    plan.keep = keep_in_seconds(text);
    if (!plan.keep) throw invalid("keep", fmt::format("found \"{}\"; {}", text, kKeepAccepted));
  }
  const FindAction find = find_in(plan.options.actions, plan.shape.actions);
  read_conduct(
      fields, [&](const Json& given) { return find(given, "baseline"); }, plan.conduct);
  for (const char* word : {"notices", "callers"}) fields.find(word);
  fields.done();
  static_cast<void>(read_oversight(document, plan.options.budgets));
  return plan;
}

Result<Engine> make_engine(const ModelPlan& plan) {
  auto engine = Engine::make(plan.policy, plan.shape, plan.options);
  if (!engine || plan.expected.empty()) return engine;
  if (auto told = engine.value().expect(plan.expected); !told) return told.failure();
  return engine;
}

}  // namespace rein::serve
