// What a log says about its problem: the shape of an engine that can learn it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/size.h"
#include "engine/log_columns.h"

namespace rein {
namespace {

constexpr int kMostCategories = 256;  // that get a feature of their own; others share some
constexpr std::size_t kMostFeatures = 4096;

bool whole_number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

// What the sparse features of one name are.
struct SparseColumn {
  bool number = false;
  std::set<std::string> categories;
};

Result<std::vector<Column>> columns_of(const Log& log) {
  std::vector<Column> columns;
  for (const std::string& name : log.names.context) columns.push_back({name, "number"});
  std::vector<std::uint8_t> used(log.names.features.size());
  for (const std::int32_t index : log.shared_index) used[as_size(index)] = 1;
  std::map<std::string, SparseColumn> sparse;
  std::vector<std::string> order;
  for (std::size_t f = 0; f < used.size(); ++f) {
    if (used[f] == 0) continue;
    const FeatureName& feature = log.names.features[f];
    const auto [at, is_new] = sparse.try_emplace(column_name(feature));
    if (is_new) order.push_back(at->first);
    at->second.number = at->second.number || !feature.category;
    if (feature.category) at->second.categories.insert(feature.value);
  }
  for (const std::string& name : order) {
    const SparseColumn& column = sparse[name];
    if (column.number && !column.categories.empty()) {
      return Error{
          fmt::format("log {}: \"{}\" is a number in some rows and a text in others; accepted: one "
                      "of them in all rows",
                      log.report.path, name)};
    }
    const auto most = std::min<std::size_t>(column.categories.size(), kMostCategories);
    columns.push_back(
        {name, column.number ? "number(scale=none)" : fmt::format("category(most={})", most)});
  }
  if (columns.size() > as_size(kMaxColumns)) {
    return Error{
        fmt::format("log {}: its context has {} columns; accepted: at most {}, or --bits N to hash "
                    "them into 2^N numbers",
                    log.report.path, columns.size(), kMaxColumns)};
  }
  return columns;
}

}  // namespace

Result<LogProblem> problem_of(const Log& log) {
  LogProblem problem;
  Shape& shape = problem.shape;
  shape.actions = log.most_actions();
  shape.reward = Range::unknown();
  for (const std::string& name : log.names.costs) shape.costs.push_back({name, Range::unknown()});
  problem.options.actions = log.names.actions;
  problem.options.numbered =
      !log.names.actions.empty() && std::ranges::all_of(log.names.actions, whole_number);
  auto columns = columns_of(log);
  if (!columns) return columns.failure();
  problem.context = std::move(columns).value();
  if (!problem.context.empty()) {
    auto schema = Schema::make(problem.context, {.absent_missing = true});
    if (!schema) return schema.failure().in(fmt::format("log {}: ", log.report.path));
    shape.context = schema.value().size();
    problem.options.schema = std::make_shared<const Schema>(std::move(schema).value());
  }
  for (const std::int32_t index : feature_columns(log)) {
    problem.features.push_back(log.names.features[as_size(index)].str());
  }
  if (problem.features.size() > kMostFeatures) {
    return Error{
        fmt::format("log {}: its actions have {} different features; accepted: at most {}, or "
                    "--bits N to hash them into 2^N",
                    log.report.path, problem.features.size(), kMostFeatures)};
  }
  shape.features = static_cast<int>(problem.features.size());
  return problem;
}

}  // namespace rein
