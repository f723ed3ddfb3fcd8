#include "offpolicy/unit_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/text_number.h"
#include "log/csv_header.h"
#include "rein/log_rows.h"

namespace rein {
namespace {

// Rows that are tested for being alike: the first ones, so that a large log takes no longer.
constexpr std::int64_t kAlikeRows = 20'000;
// Fewer rows with outcomes are not tested.
constexpr std::size_t kFewestAlikeRows = 40;
// Fewer different contexts, or values of a column, are categories, which say nothing about units.
constexpr std::size_t kFewestGroups = 20;
// In standard errors; independent rows pass one of the two tests once in 16 000 logs.
constexpr double kSurprising = 4.0;
// Columns of a file that are tested: the first ones without a role.
constexpr std::size_t kTestedColumns = 16;

// Rewards less what context and action predict, of rows with all outcomes.
struct Residuals {
  std::vector<std::int64_t> row;
  std::vector<double> value;
  double square = 0.0;
};

Residuals residuals_of(const OfflineRows& rows) {
  Residuals out;
  const auto predicted = cross_fit(rows, {.folds = 2});
  if (!predicted) return out;
  const std::size_t heads = at(rows.heads);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!rows.complete(row)) continue;
    const std::size_t cell = at(row * rows.actions + rows.played[at(row)]);
    out.row.push_back(row);
    out.value.push_back(rows.outcomes[at(row) * heads] - predicted.value()[cell * heads]);
  }
  double mean = 0.0;
  for (const double r : out.value) mean += r / static_cast<double>(out.value.size());
  for (double& r : out.value) {
    r -= mean;
    out.square += r * r;
  }
  return out;
}

// The sum of products of pairs, in standard errors of what independent residuals give.
double surprise(double products, double pairs, const Residuals& all) {
  const double variance = all.square / static_cast<double>(all.value.size());
  return pairs > 0.0 && variance > 0.0 ? products / (variance * std::sqrt(pairs)) : 0.0;
}

double of_neighbours(const Residuals& all) {
  double products = 0.0;
  for (std::size_t i = 1; i < all.value.size(); ++i) products += all.value[i - 1] * all.value[i];
  return surprise(products, static_cast<double>(all.value.size()) - 1.0, all);
}

// Of rows of one group; `group` has a number from 0 on for each residual. 0 where few are in the same group, or
// few groups differ, as categories do.
double of_groups(const Residuals& all, const std::vector<std::int32_t>& group) {
  struct Sums {
    double count = 0.0, sum = 0.0, square = 0.0;
  };
  std::map<std::int32_t, Sums> groups;
  for (std::size_t i = 0; i < all.value.size(); ++i) {
    Sums& sums = groups[group[i]];
    sums.count += 1.0;
    sums.sum += all.value[i];
    sums.square += all.value[i] * all.value[i];
  }
  if (groups.size() < kFewestGroups || 2 * groups.size() > all.value.size()) return 0.0;
  double products = 0.0;
  double pairs = 0.0;
  for (const auto& [number, sums] : groups) {
    products += (sums.sum * sums.sum - sums.square) / 2.0;
    pairs += sums.count * (sums.count - 1.0) / 2.0;
  }
  return surprise(products, pairs, all);
}

// The different contexts of the residuals, numbered from 0 on.
std::vector<std::int32_t> contexts_of(const OfflineRows& rows, const Residuals& all, std::size_t& different) {
  std::map<std::vector<double>, std::int32_t> numbers;
  std::vector<std::int32_t> out;
  for (const std::int64_t row : all.row) {
    const double* x = context_of(rows, row);
    const auto next = static_cast<std::int32_t>(numbers.size());
    out.push_back(numbers.try_emplace(std::vector<double>(x, x + rows.features), next).first->second);
  }
  different = numbers.size();
  return out;
}

OfflineRows first_rows(const OfflineRows& given) {
  return some_rows(given, {.last = std::min(given.rows, kAlikeRows)});
}

}  // namespace

std::string question_about_units(const OfflineRows& given) {
  if (!given.unit.empty()) return "";
  const OfflineRows rows = first_rows(given);
  const Residuals all = residuals_of(rows);
  if (all.value.size() < kFewestAlikeRows) return "";
  constexpr const char* kRemedy =
      "Do rows belong together, by user, session or day? Then intervals are too narrow; name their "
      "column (--unit, unit=)";
  if (of_neighbours(all) > kSurprising) {
    return fmt::format("rewards of rows that follow each other are alike. {}", kRemedy);
  }
  std::size_t different = 0;
  if (of_groups(all, contexts_of(rows, all, different)) > kSurprising) {
    return fmt::format("{} rows have only {} different contexts, and rewards of the same one are alike. {}",
                       rows.rows, different, kRemedy);
  }
  return "";
}

std::string question_about_columns(const OfflineRows& given, const std::vector<UnusedColumn>& columns) {
  if (!given.unit.empty() || columns.empty()) return "";
  const OfflineRows rows = first_rows(given);
  const Residuals all = residuals_of(rows);
  if (all.value.size() < kFewestAlikeRows) return "";
  double largest = kSurprising;
  std::string found;
  std::vector<std::int32_t> group(all.row.size());
  for (const UnusedColumn& column : columns) {
    if (column.values.size() < at(rows.rows)) continue;
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = column.values[at(all.row[i])];
    const double likeness = of_groups(all, group);
    if (likeness <= largest) continue;
    largest = likeness;
    found = column.name;
  }
  if (found.empty()) return "";
  return fmt::format(
      "rewards of rows with the same \"{0}\" are alike. If these rows belong together, as those of a user do, "
      "intervals are too narrow: name the column (--unit {0}, unit=\"{0}\")",
      found);
}

// The columns of a file.
namespace {

// The columns of a CSV file without a role, and that of the ids: ids of users repeat.
std::vector<std::string> columns_without_role(const std::string& path, const LogOptions& options) {
  auto opened = CsvReader::open(path, "log");
  if (!opened) return {};
  auto first = opened.value().next();
  if (!first || !first.value()) return {};
  auto header = read_header(opened.value().fields(), options);
  if (!header) return {};
  std::vector<std::string> out = header.value().unused;
  if (header.value().id >= 0) out.push_back(options.id);
  if (out.size() > kTestedColumns) out.resize(kTestedColumns);
  return out;
}

// The lines of the first rows of a file that are kept, and the numbers of their units if options name a column.
// A number that is not whole is a measurement, not a name: then there are no units.
struct FirstRows {
  std::vector<std::int64_t> line;
  std::vector<std::int32_t> unit;
};

std::optional<FirstRows> first_rows_of(const std::string& path, const LogOptions& options, std::int64_t most) {
  auto opened = open_log(path, options);
  if (!opened) return {};
  FirstRows out;
  std::unordered_map<std::string, std::int32_t> numbers;
  LogRow row;
  while (static_cast<std::int64_t>(out.line.size()) < most) {
    const auto found = opened.value()->next(row);
    if (!found) return {};
    if (!found.value()) break;
    out.line.push_back(row.line);
    if (options.unit.empty()) continue;
    double number = 0.0;
    if (to_number(row.unit, number) && number != std::floor(number)) return {};
    const auto next = static_cast<std::int32_t>(numbers.size());
    out.unit.push_back(numbers.try_emplace(std::string(row.unit), next).first->second);
  }
  return out;
}

}  // namespace

std::string question_about_columns(const std::string& path, const LogOptions& options, const OfflineRows& rows) {
  const auto format = options.format == LogFormat::kAuto ? log_format_of(path) : options.format;
  if (!rows.unit.empty() || !format || format.value() != LogFormat::kCsv) return "";
  const std::vector<std::string> names = columns_without_role(path, options);
  if (names.empty()) return "";
  const std::int64_t most = std::min(rows.rows, kAlikeRows);
  const auto plain = first_rows_of(path, options, most);
  std::vector<UnusedColumn> columns;
  for (const std::string& name : names) {
    LogOptions with_unit = options;
    with_unit.unit = name;
    auto found = first_rows_of(path, with_unit, most);
    // A row without a value is refused, so the lines differ. Not every row has a user then.
    if (plain && found && found->line == plain->line) columns.push_back({name, std::move(found->unit)});
  }
  return question_about_columns(rows, columns);
}

}  // namespace rein
