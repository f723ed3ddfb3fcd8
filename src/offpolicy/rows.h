// Rows of a log in this room. OfflineRows (rein/offpolicy.h) borrows columns, and a part of a log is an
// OfflineRows too. RowColumns owns columns, where rows have to be copied: in another order, or as a
// sample. ScoredRow (scored_row.h) is a single row with its predictions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/size.h"
#include "rein/offpolicy.h"

namespace rein {

// as_size under a short name, because an expression here often indexes several arrays at once.
constexpr std::size_t at(std::int64_t index) { return as_size(index); }

// Rows `first` to `last` - 1.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
// The rows of a range, as a log of their own.
OfflineRows some_rows(const OfflineRows& rows, const RowRange& range);

inline const double* context_of(const OfflineRows& rows, std::int64_t row) {
  return rows.context.data() + row * rows.features;
}
// A flag per action, or null if every action was offered.
inline const std::uint8_t* offered_of(const OfflineRows& rows, std::int64_t row) {
  return rows.offered.empty() ? nullptr : rows.offered.data() + row * rows.actions;
}
inline bool offers(const OfflineRows& rows, std::int64_t row, int action) {
  return rows.offered.empty() || rows.offered[at(row * rows.actions + action)] != 0;
}

// Columns that are owned. A column that the log does not have is empty.
struct RowColumns {
  int actions = 0, heads = 1, features = 0;
  std::vector<std::int32_t> played, unit;
  std::vector<double> propensity, outcomes, context, weights;
  std::vector<std::uint8_t> offered;

  std::int64_t rows() const { return static_cast<std::int64_t>(played.size()); }
  OfflineRows view() const;
};

// A copy of these rows, in this order.
RowColumns copied(const OfflineRows& rows, std::span<const std::int64_t> order);
// A copy in which the rows of a unit follow each other. Units keep the order of their first rows, and
// are numbered by it. REQUIRES rows with units.
RowColumns grouped_by_unit(const OfflineRows& rows);
// The range with whole units: it begins and ends where a unit begins.
RowRange whole_units(const OfflineRows& rows, const RowRange& range);
// Units, or rows where these are independent.
std::int64_t observations_of(const OfflineRows& rows);

inline constexpr const char* kNoUsableRow = "log: no row has all its outcomes and a weight above 0";
// As check_rows, for a part of a log: whether some row has all its outcomes and a weight above 0.
Result<bool> check_some_rows(const OfflineRows& rows);

}  // namespace rein
