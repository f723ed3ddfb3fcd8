#include "rein/log_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "offpolicy/rows.h"

namespace rein {
namespace {

Result<void> check_propensities(const Log& log) {
  const std::int64_t rows = log.rows();
  std::int64_t unknown = 0;
  std::int64_t first = -1;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (!std::isnan(log.propensity[at(row)])) continue;
    if (first < 0) first = row;
    ++unknown;
  }
  if (unknown == 0 || unknown == rows) return {};
  return Error{
      fmt::format("log: {} of {} rows have no propensity, the first on line {}; accepted: all "
                  "rows have one, or none",
                  unknown, rows, log.line[at(first)])};
}

std::vector<std::int32_t> numbered(const std::vector<std::string>& units) {
  std::unordered_map<std::string_view, std::int32_t> numbers;
  std::vector<std::int32_t> out;
  for (const std::string& unit : units) {
    const auto next = static_cast<std::int32_t>(numbers.size());
    out.push_back(numbers.emplace(unit, next).first->second);
  }
  return out;
}

}  // namespace

OfflineRows LogRows::view() const {
  return {.rows = static_cast<std::int64_t>(played.size()),
          .actions = static_cast<int>(actions.size()),
          .heads = static_cast<int>(heads.size()),
          .features = features,
          .played = played,
          .propensity = propensity,
          .outcomes = outcomes,
          .context = context,
          .offered = offered,
          .weights = weights,
          .unit = unit};
}

Result<LogRows> log_rows(Log&& log) {
  if (auto good = check_propensities(log); !good) return good.failure();
  if (auto named = name_actions(log); !named) return named.failure();
  if (!log.shared_value.empty()) {
    if (auto made = make_dense(log); !made) return made.failure();
  }
  LogRows out;
  const std::int64_t rows = log.rows();
  out.heads = {"reward"};
  out.heads.insert(out.heads.end(), log.names.costs.begin(), log.names.costs.end());
  out.actions = log.names.actions;
  const int actions = std::max(log.most_actions(), static_cast<int>(out.actions.size()));
  for (int a = static_cast<int>(out.actions.size()); a < actions; ++a) {
    out.actions.push_back(fmt::format("{}", a));
  }
  const std::size_t costs = log.names.costs.size();
  out.outcomes.resize(at(rows) * (1 + costs));
  out.played.resize(at(rows));
  if (!log.all_offered) out.offered.assign(at(rows) * at(actions), 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    out.played[at(row)] = log.action(row);
    double* y = out.outcomes.data() + at(row) * (1 + costs);
    y[0] = log.reward[at(row)];
    for (std::size_t i = 0; i < costs; ++i) y[1 + i] = log.costs[at(row) * costs + i];
    for (int place = 0; !log.all_offered && place < log.offers(row); ++place) {
      out.offered[at(row * actions + log.action(row, place))] = 1;
    }
  }
  if (rows > 0 && !std::isnan(log.propensity[0])) out.propensity = std::move(log.propensity);
  out.context = std::move(log.context);
  out.weights = std::move(log.weight);
  out.unit = numbered(log.unit);
  out.features = static_cast<int>(log.names.context.size());
  return out;
}

// Parts of log files, for logs that no process holds.
namespace {

Result<void> check_dense(const std::string& path, const LogRow& row) {
  if (row.shared.index.empty() && row.features.begin.empty()) return {};
  return Error{fmt::format(
      "log {}: line {} has sparse features; accepted in parts: logs whose features are columns of "
      "the context",
      path, row.line)};
}

// Gives actions the ids that they have among `actions`.
Result<void> renumber(const std::string& path, const std::vector<std::string>& actions,
                      LogRows& rows) {
  if (rows.actions == actions) return {};
  std::unordered_map<std::string, std::int32_t> ids;
  for (std::size_t a = 0; a < actions.size(); ++a) {
    ids.emplace(actions[a], static_cast<std::int32_t>(a));
  }
  std::vector<std::int32_t> id;
  for (const std::string& name : rows.actions) {
    const auto found = ids.find(name);
    if (found == ids.end()) {
      return Error{fmt::format(
          "log {}: found action \"{}\", which it did not have before; did it change?", path, name)};
    }
    id.push_back(found->second);
  }
  for (std::int32_t& played : rows.played) played = id[at(played)];
  if (!rows.offered.empty()) {
    std::vector<std::uint8_t> offered(rows.played.size() * actions.size(), 0);
    for (std::size_t i = 0; i < rows.offered.size(); ++i) {
      const std::size_t row = i / id.size();
      if (rows.offered[i] != 0) offered[row * actions.size() + at(id[i % id.size()])] = 1;
    }
    rows.offered = std::move(offered);
  }
  rows.actions = actions;
  return {};
}

}  // namespace

Result<LogContents> log_contents(const std::string& path, const LogOptions& options) {
  auto opened = open_log(path, options);
  if (!opened) return opened.failure();
  LogReader& reader = *opened.value();
  LogContents out{.rows = reader.rows()};
  // Names that are there before the first row are those of all rows.
  const bool known = out.rows >= 0 && !reader.names().actions.empty();
  std::int64_t rows = 0;
  LogRow row;
  for (;;) {
    const auto found = reader.next(row);
    if (!found) return found.failure();
    if (!found.value()) break;
    if (auto dense = check_dense(path, row); !dense) return dense.failure();
    if (rows == 0) out.first_context.assign(row.context.begin(), row.context.end());
    ++rows;
    if (known) break;
    out.actions = std::max({out.actions, row.actions, row.action() + 1});
    for (const std::int32_t id : row.offered) out.actions = std::max(out.actions, id + 1);
  }
  if (!known) out.rows = rows;
  out.names = reader.names();
  out.actions = std::max(out.actions, static_cast<int>(out.names.actions.size()));
  out.report = reader.report();
  return out;
}

Result<LogRows> read_log_part(const std::string& path, const LogOptions& options,
                              std::int64_t first, std::int64_t last,
                              const std::vector<std::string>& actions) {
  if (first < 0 || last <= first) {
    return Error{fmt::format("log {}: found rows {} to {}; accepted: an ascending range from 0",
                             path, first, last)};
  }
  LogOptions some = options;
  some.skip = first;
  auto opened = open_log(path, some);
  if (!opened) return opened.failure();
  LogReader& reader = *opened.value();
  Log log;
  LogRow row;
  while (log.rows() < last - first) {
    const auto found = reader.next(row);
    if (!found) return found.failure();
    if (!found.value()) {
      return Error{fmt::format("log {}: found {} rows; accepted: at least {}. Did it change?", path,
                               first + log.rows(), last)};
    }
    if (auto dense = check_dense(path, row); !dense) return dense.failure();
    if (auto added = log.add(row); !added) return added.failure();
  }
  log.finish(reader.names());
  auto rows = log_rows(std::move(log));
  if (!rows) return rows.failure();
  if (auto good = renumber(path, actions, rows.value()); !good) return good.failure();
  return rows;
}

}  // namespace rein
