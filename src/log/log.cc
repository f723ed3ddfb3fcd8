#include "rein/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/size.h"

namespace rein {
namespace {

template <class T>
void append(std::vector<T>& to, std::span<const T> from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Makes rows of costs wider; the new costs are unknown.
void widen(std::vector<double>& costs, std::size_t rows, std::size_t from, std::size_t to) {
  std::vector<double> wide(rows * to, kUnknown);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(costs.begin() + static_cast<std::ptrdiff_t>(i * from), from,
                wide.begin() + static_cast<std::ptrdiff_t>(i * to));
  }
  costs = std::move(wide);
}

// The value of a column that only some rows have: the rows before get `none`.
template <class T>
void add_some(std::vector<T>& column, std::size_t rows, const T& value, const T& none) {
  if (column.empty() && value == none) return;
  column.resize(rows, none);
  column.push_back(value);
}

void add_offer(Log& log, const LogRow& row) {
  const auto rows = log.rows();
  if (log.actions >= 0 && rows > 0 && log.actions != row.actions) {
    log.begin.resize(as_size(rows) + 1);
    for (std::int64_t i = 0; i <= rows; ++i) log.begin[as_size(i)] = i * log.actions;
    log.actions = -1;
  }
  if (rows == 0) log.actions = row.actions;
  const auto before = log.actions < 0 ? log.begin.back() : rows * log.actions;
  if (log.actions < 0) log.begin.push_back(before + row.actions);
  if (row.offered.empty() && log.offered.empty()) return;
  if (log.offered.empty() && before > 0) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (int a = 0; a < log.offers(i); ++a) log.offered.push_back(a);
    }
  }
  for (int a = 0; a < row.actions; ++a) log.offered.push_back(row.action(a));
}

void add_features(Log& log, const LogRow& row, std::int64_t offers_before) {
  const bool has = !row.features.begin.empty();
  if (!has && log.features_begin.empty()) return;
  if (log.features_begin.empty()) log.features_begin.resize(as_size(offers_before) + 1, 0);
  const std::int64_t base = log.features_begin.back();
  for (int a = 1; a <= row.actions; ++a) {
    log.features_begin.push_back(base + (has ? row.features.begin[as_size(a)] : 0));
  }
  append(log.features_index, row.features.index);
  append(log.features_value, row.features.value);
}

void add_shared(Log& log, const LogRow& row) {
  if (row.shared.index.empty() && log.shared_begin.empty()) return;
  if (log.shared_begin.empty()) log.shared_begin.resize(as_size(log.rows()) + 1, 0);
  append(log.shared_index, row.shared.index);
  append(log.shared_value, row.shared.value);
  log.shared_begin.push_back(static_cast<std::int64_t>(log.shared_index.size()));
}

}  // namespace

Result<> Log::add(const LogRow& row) {
  const std::size_t count = as_size(rows());
  if (count > 0 && (row.actions == 0) != all_offered) {
    return Error{fmt::format(
        "log: line {}: found a row that {}; accepted: the same in all rows", row.line,
        all_offered ? "names the actions offered" : "does not name the actions offered")};
  }
  all_offered = row.actions == 0;
  const std::size_t width = count == 0 ? row.costs.size() : costs.size() / count;
  if (row.costs.size() > width) widen(costs, count, width, row.costs.size());
  append(costs, row.costs);
  costs.resize((count + 1) * std::max(width, row.costs.size()), kUnknown);
  append(context, row.context);
  add_some(weight, count, row.weight, 1.0);
  add_some(time, count, row.time, kNoTime);
  add_some(id, count, std::string(row.id), std::string());
  add_some(unit, count, std::string(row.unit), std::string());
  if (!probabilities.empty() || !row.probabilities.empty()) {
    const std::size_t before = all_offered ? 0 : as_size(first(rows()));
    probabilities.resize(before, kUnknown);
    append(probabilities, row.probabilities);
    probabilities.resize(before + as_size(row.actions), kUnknown);
  }
  add_features(*this, row, all_offered ? 0 : first(rows()));
  add_shared(*this, row);
  if (!all_offered) add_offer(*this, row);
  line.push_back(row.line);
  propensity.push_back(row.propensity);
  reward.push_back(row.reward);
  played.push_back(row.played);
  return {};
}

void Log::finish(LogNames all) {
  names = std::move(all);
  if (all_offered) actions = static_cast<int>(names.actions.size());
  const std::size_t count = as_size(rows()), width = count == 0 ? 0 : costs.size() / count;
  if (width < names.costs.size()) widen(costs, count, width, names.costs.size());
}

int Log::most_actions() const {
  int actions_most = actions;
  for (std::int64_t i = 0; actions < 0 && i < rows(); ++i) {
    actions_most = std::max(actions_most, offers(i));
  }
  for (const std::int32_t each : offered) actions_most = std::max(actions_most, each + 1);
  return std::max(actions_most, static_cast<int>(names.actions.size()));
}

LogRow Log::row(std::int64_t row, std::vector<std::int32_t>& room) const {
  const std::size_t i = as_size(row);
  const std::size_t width = names.context.size(), paid = names.costs.size();
  LogRow out;
  out.line = line[i];
  out.actions = offers(row);
  out.played = played[i];
  out.propensity = propensity[i];
  out.reward = reward[i];
  if (!weight.empty()) out.weight = weight[i];
  if (!time.empty()) out.time = time[i];
  if (!id.empty()) out.id = id[i];
  if (!unit.empty()) out.unit = unit[i];
  out.context = std::span(context).subspan(i * width, width);
  out.costs = std::span(costs).subspan(i * paid, paid);
  const auto begins = as_size(first(row));
  const auto count = as_size(out.actions);
  if (!offered.empty()) out.offered = std::span(offered).subspan(begins, count);
  if (!probabilities.empty()) out.probabilities = std::span(probabilities).subspan(begins, count);
  if (!shared_begin.empty()) {
    const auto from = as_size(shared_begin[i]), many = as_size(shared_begin[i + 1]) - from;
    out.shared = {std::span(shared_index).subspan(from, many),
                  std::span(shared_value).subspan(from, many)};
  }
  if (!features_begin.empty()) {
    const auto from = features_begin[begins];
    room.resize(count + 1);
    for (std::size_t a = 0; a <= count; ++a) {
      room[a] = static_cast<std::int32_t>(features_begin[begins + a] - from);
    }
    const auto many = as_size(room[count]);
    out.features = {room, std::span(features_index).subspan(as_size(from), many),
                    std::span(features_value).subspan(as_size(from), many)};
  }
  return out;
}

namespace {

// The order of actions whose names are all whole numbers; empty if they are not, or in order.
std::vector<std::int32_t> numeric_order(const std::vector<std::string>& names) {
  std::vector<std::int64_t> values;
  for (const std::string& name : names) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (code != std::errc() || end != name.data() + name.size()) return {};
    values.push_back(value);
  }
  if (std::is_sorted(values.begin(), values.end())) return {};
  std::vector<std::int32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return values[as_size(a)] < values[as_size(b)]; });
  return order;
}

void sort_actions(Log& log) {
  const auto order = numeric_order(log.names.actions);
  if (order.empty()) return;
  std::vector<std::string> sorted;
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.push_back(std::move(log.names.actions[as_size(order[i])]));
    place[as_size(order[i])] = static_cast<std::int32_t>(i);
  }
  log.names.actions = std::move(sorted);
  for (auto& each : log.all_offered ? log.played : log.offered) each = place[as_size(each)];
}

}  // namespace

Result<Log> read_log(const std::string& path, const LogOptions& options,
                     const LogProgress& progress) {
  constexpr std::int64_t kRowsPerLook = 1024;
  auto opened = open_log(path, options);
  if (!opened) return opened.failure();
  LogReader& reader = *opened.value();
  Log log;
  LogRow row;
  for (;;) {
    if (progress && log.rows() % kRowsPerLook == 0 &&
        !progress(reader.bytes_read(), reader.bytes())) {
      return Error{fmt::format("log {}: stopped before the end", path), Reason::kFailed};
    }
    const auto found_row = reader.next(row);
    if (!found_row) return found_row.failure();
    if (!found_row.value()) break;
    if (auto added = log.add(row); !added) return added.failure();
  }
  log.finish(reader.names());
  log.report = reader.report();
  if (log.rows() == 0) {
    return Error{fmt::format("log {}: no row can be used; accepted: at least one\n{}", path,
                             log.report.str())};
  }
  if (options.actions.empty()) sort_actions(log);
  return log;
}

Result<> make_dense(Log& log, std::size_t most) {
  if (log.shared_begin.empty()) return {};
  std::vector<std::int32_t> column(log.names.features.size(), -1);
  const std::size_t before = log.names.context.size(), rows = as_size(log.rows());
  std::size_t width = before;
  for (const std::int32_t index : log.shared_index) {
    if (column[as_size(index)] < 0) column[as_size(index)] = static_cast<std::int32_t>(width++);
  }
  if (width > most) {
    return Error{fmt::format("log {}: the context has {} different columns; accepted: at most {}",
                             log.report.path, width, most)};
  }
  std::vector<double> wide(rows * width, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(log.context.begin() + static_cast<std::ptrdiff_t>(i * before), before,
                wide.begin() + static_cast<std::ptrdiff_t>(i * width));
    for (auto j = as_size(log.shared_begin[i]); j < as_size(log.shared_begin[i + 1]); ++j) {
      wide[i * width + as_size(column[as_size(log.shared_index[j])])] = log.shared_value[j];
    }
  }
  log.names.context.resize(width);
  for (std::size_t f = 0; f < column.size(); ++f) {
    if (column[f] >= 0) log.names.context[as_size(column[f])] = log.names.features[f].str();
  }
  log.context = std::move(wide);
  log.shared_begin.clear();
  log.shared_index.clear();
  log.shared_value.clear();
  return {};
}

}  // namespace rein
