#include "rein/log_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "offpolicy/at.h"

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

}  // namespace rein
