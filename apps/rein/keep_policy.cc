#include "keep_policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "base/atomic_file.h"
#include "base/size.h"
#include "engine/log_columns.h"
#include "output.h"
#include "rein/train.h"
#include "tools/trained.h"
#include "verbs.h"

namespace rein::app {
namespace {

// The kind of each column such that the model sees the very numbers that the regressions saw.
std::string kept_kind(const Log& log, const Column& column) {
  if (!column.kind.starts_with("category")) return "number(scale=none)";
  std::set<std::string> seen;
  SpecValue::List values;
  std::vector<char> used(log.names.features.size(), 0);
  for (const std::int32_t index : log.shared_index) used[as_size(index)] = 1;
  for (std::size_t f = 0; f < used.size(); ++f) {
    const FeatureName& feature = log.names.features[f];
    if (used[f] == 0 || column_name(feature) != column.name) continue;
    if (seen.insert(feature.value).second) values.push_back({.is = SpecValue::Quoted{feature.value}});
  }
  Spec kind("category");
  kind.set("of", {.is = std::move(values)});
  kind.set("buckets", {.is = 0.0});
  return kind.str();
}

// The weights of the model's numbers, in the order in which its schema has them.
Spec in_order(const Spec& spec, const std::vector<std::string>& wanted,
              const std::vector<std::string>& columns) {
  std::vector<std::size_t> from{0};  // the constant
  for (const std::string& name : wanted) {
    const auto found = std::ranges::find(columns, name);
    if (found == columns.end()) {
      throw UsageError(fmt::format("--save-policy: the log has no column \"{}\" of the context; accepted: "
                                   "names and categories without spaces at their ends",
                                   name));
    }
    from.push_back(1 + as_size(found - columns.begin()));
  }
  const auto& given = std::get<SpecValue::List>(spec.find("weights")->is);
  const std::size_t width = 1 + columns.size();
  SpecValue::List weights;
  for (std::size_t lane = 0; lane < given.size() / width; ++lane) {
    for (const std::size_t place : from) weights.push_back(given[lane * width + place]);
  }
  Spec out = spec;
  out.set("weights", {.is = std::move(weights)});
  return out;
}

}  // namespace

void check_keep(const KeepWords& words, const std::string& read) {
  if (!words.at.empty() && !words.wanted()) {
    throw UsageError("--save-at: found no --save-policy; accepted: with --save-policy or --serve-policy");
  }
  if (!words.serve.empty()) typed(serve::trained_place(words.serve));
  if (words.file.empty()) return;
  std::error_code ignored;
  if (same_file(words.file, read)) {
    throw UsageError(fmt::format("--save-policy: {} is the log; accepted: another file", words.file));
  }
  if (!words.force && std::filesystem::exists(words.file, ignored)) {
    throw UsageError(
        fmt::format("--save-policy: {} exists; accepted: another name, or --force", words.file));
  }
  check_writable(words.file).check();
}

KeptShape shape_to_keep(const Log& log) {
  const LogProblem problem = typed(problem_of(log));
  KeptShape out;
  Json::Object& document = out.document;
  if (problem.options.actions.empty()) {
    document.emplace_back("actions", problem.shape.actions);
  } else {
    Json::List names;
    for (const std::string& name : problem.options.actions) {
      names.emplace_back(problem.options.numbered ? Json(std::int64_t{std::stoll(name)}) : Json(name));
    }
    document.emplace_back("actions", std::move(names));
  }
  std::vector<Column> columns;
  Json::Object context;
  for (const Column& column : problem.context) {
    columns.push_back({column.name, kept_kind(log, column)});
    context.emplace_back(column.name, columns.back().kind);
  }
  if (!columns.empty()) {
    out.columns = typed(Schema::make(columns)).names();
    document.emplace_back("context", std::move(context));
    document.emplace_back("absent", "missing");
  }
  Json::Object costs;
  for (const CostShape& cost : problem.shape.costs) costs.emplace_back(cost.name, Json());
  if (!costs.empty()) document.emplace_back("costs", std::move(costs));
  return out;
}

std::string keep_policy(const KeepWords& words, KeptShape shape,
                        const std::vector<std::string>& columns, const PricedPolicy& policy) {
  ::umask(S_IRWXG | S_IRWXO);  // a model holds the seed that its ids depend on
  try {
    shape.document.insert(shape.document.begin(),
                          {"policy", in_order(policy.spec, shape.columns, columns).str()});
    const Json document(std::move(shape.document));
    const serve::ModelPlan plan = serve::read_document(document);
    Engine engine = typed(serve::make_engine(plan));
    std::string out;
    if (!words.file.empty()) {
      write_whole(words.file, engine.snapshot()).check();
      out += fmt::format("{0}: rein assign {0} customers.csv, rein evaluate log.csv --policy 'file({0})', "
                         "rein.Agent.load(\"{0}\") in Python\n",
                         words.file);
    }
    if (!words.serve.empty()) {
      const auto place = typed(serve::trained_place(words.serve));
      const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
      serve::write_trained(place, plan, engine, document.str(), now.time_since_epoch().count()).check();
      out += fmt::format("{}: rein serve --data {}\n", words.serve, place.data);
    }
    return out;
  } catch (const serve::Refused& wrong) {
    throw UsageError(wrong.what());
  }
}

}  // namespace rein::app
