#include <fmt/format.h>

#include <cmath>

#include "offpolicy/at.h"
#include "offpolicy/log_sums.h"

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
  if (!rows.offered.empty() && rows.offered[at(row * rows.actions + action)] == 0) {
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
