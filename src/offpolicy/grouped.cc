#include "offpolicy/grouped.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "offpolicy/at.h"

namespace rein {

GroupedRows::GroupedRows(const OfflineRows& rows) : view_(rows) {
  std::unordered_map<std::int32_t, std::int32_t> names;
  std::vector<std::int32_t> unit;
  for (const std::int32_t given : rows.unit) {
    unit.push_back(names.emplace(given, static_cast<std::int32_t>(names.size())).first->second);
  }
  std::vector<std::int64_t> order(unit.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) { return unit[at(i)] < unit[at(j)]; });
  const auto take = [&](auto& column, auto& own, std::int64_t width) {
    if (column.empty()) return;
    own.reserve(column.size());
    for (const std::int64_t row : order) {
      const auto first = column.begin() + static_cast<std::ptrdiff_t>(row * width);
      own.insert(own.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    column = own;
  };
  take(view_.played, played_, 1);
  take(view_.propensity, propensity_, 1);
  take(view_.outcomes, outcomes_, rows.heads);
  take(view_.context, context_, rows.features);
  take(view_.offered, offered_, rows.actions);
  take(view_.weights, weights_, 1);
  for (const std::int64_t row : order) unit_.push_back(unit[at(row)]);
  view_.unit = unit_;
}

ShardRange whole_units(const OfflineRows& rows, ShardRange range) {
  const auto begin = [&](std::int64_t row) {
    while (row > 0 && row < rows.rows && rows.unit[at(row)] == rows.unit[at(row - 1)]) ++row;
    return row;
  };
  return rows.unit.empty() ? range : ShardRange{begin(range.first), begin(range.last)};
}

}  // namespace rein
