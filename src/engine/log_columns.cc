#include "engine/log_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"

namespace rein {
namespace {

void match_actions(const Engine& engine, const Log& log, LogPlaces& places) {
  const bool named = !engine.options().actions.empty() && !log.names.actions.empty();
  places.action.assign(as_size(log.most_actions()), -1);
  for (std::size_t i = 0; i < places.action.size(); ++i) {
    if (!named) {
      if (engine.place_of(static_cast<std::int32_t>(i)) >= 0) places.action[i] = static_cast<std::int32_t>(i);
    } else if (i < log.names.actions.size()) {
      const auto found = engine.action_id(log.names.actions[i]);
      if (found) places.action[i] = found.value();
    }
  }
}

Result<> match_costs(const Engine& engine, const Log& log, LogPlaces& places) {
  for (const CostShape& cost : engine.policy().shape().costs) {
    const auto found = std::ranges::find(log.names.costs, cost.name);
    if (found == log.names.costs.end()) {
      return Error{fmt::format(
          "log {}: it has no cost \"{}\"; it has {}", log.report.path, cost.name,
          log.names.costs.empty() ? "none" : fmt::format("{}", fmt::join(log.names.costs, ", ")))};
    }
    places.cost.push_back(static_cast<int>(found - log.names.costs.begin()));
  }
  return {};
}

Result<> match_context(const Engine& engine, const Log& log, LogPlaces& places) {
  if (engine.schema() == nullptr) {
    const int width = engine.policy().shape().context;
    if (log.shared_value.empty() && log.names.context.size() == as_size(width)) return {};
    return Error{
        fmt::format("log {}: its context has {} columns{}; accepted: {}, as the engine has, or an "
                    "engine with names for its columns",
                    log.report.path, log.names.context.size(),
                    log.shared_value.empty() ? "" : " and sparse features", width)};
  }
  const std::vector<Column> columns = engine.schema()->columns();
  places.sparse.assign(log.names.features.size(), -1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto found = std::ranges::find(log.names.context, columns[c].name);
    bool any = found != log.names.context.end();
    places.dense.push_back(any ? static_cast<int>(found - log.names.context.begin()) : -1);
    for (std::size_t f = 0; !any && f < places.sparse.size(); ++f) {
      if (column_name(log.names.features[f]) == columns[c].name)
        places.sparse[f] = static_cast<std::int32_t>(c);
    }
    any = any ||
          std::ranges::find(places.sparse, static_cast<std::int32_t>(c)) != places.sparse.end();
    if (!any) {
      return Error{fmt::format("log {}: it has no column \"{}\" of the context", log.report.path,
                               columns[c].name)};
    }
  }
  return {};
}

Result<> match_features(const Engine& engine, const Log& log, LogPlaces& places) {
  const int width = engine.policy().shape().features;
  const auto columns = feature_columns(log);
  if (columns.size() != as_size(width)) {
    return Error{
        fmt::format("log {}: its actions have {} features; accepted: {}, as the engine has",
                    log.report.path, columns.size(), width)};
  }
  places.feature.assign(log.names.features.size(), -1);
  for (std::size_t n = 0; n < columns.size(); ++n) {
    places.feature[as_size(columns[n])] = static_cast<std::int32_t>(n);
  }
  return {};
}

}  // namespace

std::string column_name(const FeatureName& feature) {
  return feature.space.empty() ? feature.name : feature.space + '^' + feature.name;
}

std::vector<std::int32_t> feature_columns(const Log& log) {
  std::vector<std::int32_t> columns(log.features_index);
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

Result<LogPlaces> match_log(const Engine& engine, const Log& log) {
  LogPlaces places;
  match_actions(engine, log, places);
  for (auto* step : {match_costs, match_context, match_features}) {
    if (auto done = step(engine, log, places); !done) return done.failure();
  }
  return places;
}

}  // namespace rein
