// Parts of log files, for logs that no process holds.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "offpolicy/at.h"
#include "rein/log_rows.h"

namespace rein {
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
    const auto more = reader.next(row);
    if (!more) return more.failure();
    if (!more.value()) break;
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
    const auto more = reader.next(row);
    if (!more) return more.failure();
    if (!more.value()) {
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
