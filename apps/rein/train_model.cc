#include "train_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "numbers.h"

namespace rein::app {
namespace {

// NAME=LOW:HIGH. An end that is left out is not known: null in a document.
std::pair<std::string, Json> range_of(const std::string& text) {
  const std::size_t split = text.find('='), colon = text.find(':', split);
  if (split == 0 || split == std::string::npos || colon == std::string::npos) {
    throw UsageError(fmt::format(
        "--range: found \"{}\"; accepted: NAME=LOW:HIGH, and NAME is reward or a cost", text));
  }
  const auto end = [](const std::string& number) {
    return number.empty() ? Json() : Json(finite_number("--range", number));
  };
  return {text.substr(0, split),
          Json::List{end(text.substr(split + 1, colon - split - 1)), end(text.substr(colon + 1))}};
}

Json* member(Json::Object& object, std::string_view name) {
  for (auto& [key, value] : object) {
    if (key == name) return &value;
  }
  return nullptr;
}

void set(Json::Object& object, const std::string& name, Json value) {
  if (Json* known = member(object, name)) {
    *known = std::move(value);
  } else {
    object.emplace_back(name, std::move(value));
  }
}

// The document of a model, in the words of docs/service.md, as the log and the options say it.
Json::Object from_log(const LogProblem& problem, const TrainWords& given) {
  Json::Object document{{"policy", given.policy.empty() ? "ccb" : given.policy}};
  if (problem.options.actions.empty()) {
    document.emplace_back("actions", problem.shape.actions);
  } else {
    Json::List names;
    for (const std::string& name : problem.options.actions) {
      names.emplace_back(problem.options.numbered ? Json(std::int64_t{std::stoll(name)})
                                                  : Json(name));
    }
    document.emplace_back("actions", std::move(names));
  }
  if (!problem.context.empty()) {
    Json::Object columns;
    for (const Column& column : problem.context) columns.emplace_back(column.name, column.kind);
    document.emplace_back("context", std::move(columns));
    document.emplace_back("absent", "missing");
  } else if (problem.shape.context > 0) {
    document.emplace_back("context", problem.shape.context);
  }
  if (problem.shape.features > 0) {
    document.emplace_back("action_features", problem.shape.features);
  }
  Json::Object costs;
  for (const CostShape& cost : problem.shape.costs) costs.emplace_back(cost.name, Json());
  if (given.rounds > 0) document.emplace_back("rounds", given.rounds);
  if (given.seed >= 0) document.emplace_back("seed", given.seed);
  for (const std::string& text : given.ranges) {
    auto [name, range] = range_of(text);
    if (name == "reward") {
      set(document, "reward", std::move(range));
    } else if (Json* cost = member(costs, name)) {
      *cost = std::move(range);
    } else {
      std::string names = "reward";
      for (const auto& [known, unused] : costs) names += ", " + known;
      throw UsageError(
          fmt::format("--range: the log has no cost \"{}\"; accepted: {}", name, names));
    }
  }
  if (!costs.empty()) document.emplace_back("costs", std::move(costs));
  return document;
}

// JSON, or the name of a file that has it. Its keys replace those of the log.
void merge(Json::Object& document, const std::string& given, bool policy_typed) {
  if (given.empty()) return;
  std::string text = given;
  if (given.find('{') == std::string::npos) {
    std::ifstream file(given, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    if (!file) throw UsageError(fmt::format("--document: {} cannot be read", given));
    text = bytes.str();
  }
  Json read = serve::read_json(text);
  auto* object = std::get_if<Json::Object>(&read.is);
  if (object == nullptr) {
    throw UsageError("--document: found no object; accepted: {\"budgets\": ..., ...}");
  }
  for (auto& [name, value] : *object) {
    if (name == "policy" && policy_typed) {
      throw UsageError("--policy: the document has one too; accepted: one of them");
    }
    set(document, name, std::move(value));
  }
}

// What the log spent per decision, to four digits: a budget for a policy that has none.
SpecValue::List spent_of(const Log& log, const Shape& shape) {
  SpecValue::List rates;
  for (const CostShape& cost : shape.costs) {
    const auto found = std::ranges::find(log.names.costs, cost.name);
    if (found == log.names.costs.end()) return {};
    double sum = 0.0;
    std::int64_t known = 0;
    const auto width = log.names.costs.size();
    for (auto at = static_cast<std::size_t>(found - log.names.costs.begin()); at < log.costs.size();
         at += width) {
      if (std::isnan(log.costs[at])) continue;
      sum += log.costs[at];
      ++known;
    }
    const double mean = known == 0 ? 0.0 : sum / static_cast<double>(known);
    rates.push_back(SpecValue{std::stod(fmt::format("{:.4g}", mean))});
  }
  return rates;
}

}  // namespace

Json::Object train_document(const LogProblem& problem, const TrainWords& given) {
  Json::Object document = from_log(problem, given);
  merge(document, given.document, !given.policy.empty());
  return document;
}

TrainedModel train_model(Json::Object document, const Log& log) {
  serve::ModelPlan plan = serve::read_document(Json(document));
  auto engine = serve::make_engine(plan);
  if (engine) return {std::move(plan), std::move(engine).value(), Json(std::move(document))};
  auto spec = parse_spec(plan.policy, "policy spec");
  const SpecValue::List rates = spent_of(log, plan.shape);
  const bool may = spec && !rates.empty() && spec.value().find("budget") == nullptr &&
                   spec.value().find("rate") == nullptr && plan.options.budgets.empty();
  if (!may) throw UsageError(engine.error());
  spec.value().set("rate", rates.size() == 1 ? rates[0] : SpecValue{rates});
  plan.policy = spec.value().str();
  auto second = serve::make_engine(plan);
  if (!second) throw UsageError(engine.error());  // another reason: the first message says it
  set(document, "policy", plan.policy);
  return {std::move(plan), std::move(second).value(), Json(std::move(document)), true};
}

}  // namespace rein::app
