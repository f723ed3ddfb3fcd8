#include "offpolicy/alike.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "offpolicy/at.h"
#include "rein/replay.h"

namespace rein {
namespace {

constexpr std::int64_t kRows = 20'000;
// In standard errors; independent rows pass one of the two tests once in 16 000 logs.
constexpr double kSurprising = 4.0;

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

// Of rows with the same context. 0 where few are the same, or few differ, as categories do.
double of_contexts(const OfflineRows& rows, const Residuals& all, std::size_t& different) {
  struct Group {
    double count = 0.0, sum = 0.0, square = 0.0;
  };
  std::map<std::vector<double>, Group> groups;
  for (std::size_t i = 0; i < all.value.size(); ++i) {
    const double* x = rows.context.data() + all.row[i] * rows.features;
    Group& group = groups[std::vector<double>(x, x + rows.features)];
    group.count += 1.0;
    group.sum += all.value[i];
    group.square += all.value[i] * all.value[i];
  }
  different = groups.size();
  constexpr std::size_t kFewest = 20;
  if (different < kFewest || 2 * different > all.value.size()) return 0.0;
  double products = 0.0;
  double pairs = 0.0;
  for (const auto& [context, group] : groups) {
    products += (group.sum * group.sum - group.square) / 2.0;
    pairs += group.count * (group.count - 1.0) / 2.0;
  }
  return surprise(products, pairs, all);
}

}  // namespace

std::string question_about_units(const OfflineRows& given) {
  if (!given.unit.empty()) return "";
  const OfflineRows rows = slice(given, 0, std::min(given.rows, kRows));
  const Residuals all = residuals_of(rows);
  if (all.value.size() < 40) return "";
  constexpr const char* kRemedy =
      "Do rows belong together, by user, session or day? Then intervals are too narrow; name their "
      "column (--unit, unit=)";
  if (of_neighbours(all) > kSurprising) {
    return fmt::format("rewards of rows that follow each other are alike. {}", kRemedy);
  }
  std::size_t different = 0;
  if (of_contexts(rows, all, different) > kSurprising) {
    return fmt::format("{} rows have only {} different contexts, and rewards of the same one are alike. {}",
                       rows.rows, different, kRemedy);
  }
  return "";
}

}  // namespace rein
