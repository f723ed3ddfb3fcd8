#include "offpolicy/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "rein/replay.h"

namespace rein {
namespace {

Result<void> check_sizes(const OfflineRows& rows) {
  if (rows.rows < 1 || rows.rows > kMaxOfflineRows) {
    return Error{fmt::format("log: found {} rows; accepted: 1 to {}", rows.rows, kMaxOfflineRows)};
  }
  if (rows.actions < 1 || rows.heads < 1 || rows.features < 0) {
    return Error{
        fmt::format("log: found {} actions, {} outcomes and {} features; accepted: at least "
                    "1 action and 1 outcome (the reward)",
                    rows.actions, rows.heads, rows.features)};
  }
  const auto fits = [&](std::size_t size, std::int64_t per_row, bool optional) {
    return (optional && size == 0) || size == at(rows.rows * per_row);
  };
  const bool good = fits(rows.played.size(), 1, false) && fits(rows.propensity.size(), 1, true) &&
                    fits(rows.outcomes.size(), rows.heads, false) &&
                    fits(rows.context.size(), rows.features, false) &&
                    fits(rows.offered.size(), rows.actions, true) &&
                    fits(rows.weights.size(), 1, true) && fits(rows.unit.size(), 1, true);
  if (!good) {
    return Error{fmt::format(
        "log: the columns of {} rows have other sizes: {} actions, {} propensities, {} outcomes, "
        "{} context numbers, {} offered flags, {} weights, {} units",
        rows.rows, rows.played.size(), rows.propensity.size(), rows.outcomes.size(),
        rows.context.size(), rows.offered.size(), rows.weights.size(), rows.unit.size())};
  }
  return {};
}

Result<void> check_row(const OfflineRows& rows, std::int64_t row) {
  const int action = rows.played[at(row)];
  if (action < 0 || action >= rows.actions) {
    return Error{
        fmt::format("log: row {} has action {}; accepted: 0 to {}", row, action, rows.actions - 1)};
  }
  if (!offers(rows, row, action)) {
    return Error{fmt::format("log: row {} has action {}, which was not offered", row, action)};
  }
  if (!rows.propensity.empty()) {
    const double p = rows.propensity[at(row)];
    if (!(p > 0.0 && p <= 1.0)) {
      return Error{
          fmt::format("log: row {} has propensity {}; accepted: more than 0, at most 1", row, p)};
    }
  }
  for (int head = 0; head < rows.heads; ++head) {
    const double y = rows.outcomes[at(row * rows.heads + head)];
    if (std::isinf(y) || std::abs(y) > 1e50) {
      return Error{
          fmt::format("log: row {} has outcome {} (head {}); accepted: up to 1e50 in size, or "
                      "NaN where it is missing",
                      row, y, head)};
    }
  }
  for (int j = 0; j < rows.features; ++j) {
    const double x = rows.context[at(row * rows.features + j)];
    if (!(std::abs(x) <= 1e50)) {
      return Error{
          fmt::format("log: row {} has context number {} in column {}; accepted: up to 1e50 "
                      "in size",
                      row, x, j)};
    }
  }
  if (!(rows.weight(row) >= 0.0 && rows.weight(row) <= 1e12)) {
    return Error{
        fmt::format("log: row {} has weight {}; accepted: 0 to 1e12", row, rows.weight(row))};
  }
  if (!rows.unit.empty() && rows.unit[at(row)] < 0) {
    return Error{
        fmt::format("log: row {} has unit {}; accepted: 0 or more", row, rows.unit[at(row)])};
  }
  return {};
}

}  // namespace

bool OfflineRows::complete(std::int64_t row) const {
  for (int head = 0; head < heads; ++head) {
    if (std::isnan(outcomes[at(row * heads + head)])) return false;
  }
  return true;
}

OfflineRows some_rows(const OfflineRows& rows, const RowRange& range) {
  const auto part = [&](auto column, std::int64_t per_row) {
    if (column.empty()) return column;
    return column.subspan(at(range.first * per_row), at((range.last - range.first) * per_row));
  };
  OfflineRows out = rows;
  out.rows = range.last - range.first;
  out.played = part(rows.played, 1);
  out.propensity = part(rows.propensity, 1);
  out.outcomes = part(rows.outcomes, rows.heads);
  out.context = part(rows.context, rows.features);
  out.offered = part(rows.offered, rows.actions);
  out.weights = part(rows.weights, 1);
  out.unit = part(rows.unit, 1);
  return out;
}

OfflineRows slice(const OfflineRows& rows, std::int64_t first, std::int64_t last) {
  return some_rows(rows, {.first = first, .last = last});
}

OfflineRows RowColumns::view() const {
  return {.rows = rows(),
          .actions = actions,
          .heads = heads,
          .features = features,
          .played = played,
          .propensity = propensity,
          .outcomes = outcomes,
          .context = context,
          .offered = offered,
          .weights = weights,
          .unit = unit};
}

RowColumns copied(const OfflineRows& rows, std::span<const std::int64_t> order) {
  const auto copy = [&](const auto& from, auto& to, std::int64_t per_row) {
    if (from.empty()) return;
    to.reserve(order.size() * at(per_row));
    for (const std::int64_t row : order) {
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(row * per_row);
      to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(per_row));
    }
  };
  RowColumns out{.actions = rows.actions, .heads = rows.heads, .features = rows.features};
  copy(rows.played, out.played, 1);
  copy(rows.propensity, out.propensity, 1);
  copy(rows.outcomes, out.outcomes, rows.heads);
  copy(rows.context, out.context, rows.features);
  copy(rows.offered, out.offered, rows.actions);
  copy(rows.weights, out.weights, 1);
  copy(rows.unit, out.unit, 1);
  return out;
}

RowColumns grouped_by_unit(const OfflineRows& rows) {
  std::unordered_map<std::int32_t, std::int32_t> numbers;
  std::vector<std::int32_t> unit;
  for (const std::int32_t name : rows.unit) {
    const auto next = static_cast<std::int32_t>(numbers.size());
    unit.push_back(numbers.emplace(name, next).first->second);
  }
  std::vector<std::int64_t> order(unit.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return unit[at(i)] < unit[at(j)]; });
  OfflineRows numbered = rows;
  numbered.unit = unit;
  return copied(numbered, order);
}

RowRange whole_units(const OfflineRows& rows, const RowRange& range) {
  const auto begin = [&](std::int64_t row) {
    while (row > 0 && row < rows.rows && rows.unit[at(row)] == rows.unit[at(row - 1)]) ++row;
    return row;
  };
  return rows.unit.empty() ? range : RowRange{begin(range.first), begin(range.last)};
}

std::int64_t observations_of(const OfflineRows& rows) {
  if (rows.unit.empty()) return rows.rows;
  return static_cast<std::int64_t>(
      std::unordered_set<std::int32_t>(rows.unit.begin(), rows.unit.end()).size());
}

Result<bool> check_some_rows(const OfflineRows& rows) {
  if (auto fits = check_sizes(rows); !fits) return fits.failure();
  bool any = false;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (auto good = check_row(rows, row); !good) return good.failure();
    any = any || (rows.weight(row) > 0.0 && rows.complete(row));
  }
  return any;
}

Result<void> check_rows(const OfflineRows& rows) {
  auto any = check_some_rows(rows);
  if (!any) return any.failure();
  if (!any.value()) return Error{kNoUsableRow};
  return {};
}

}  // namespace rein
