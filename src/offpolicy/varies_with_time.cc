// Whether propensities vary with time, by two tests at half the level each.
//
// Block means: the analysis of variance of log(propensity) over 10 blocks. It sees slow changes.
// First rows: the largest distance between the laws of the propensities in the first m rows and in
// all later ones (Kolmogorov and Smirnov), for m = rows / 2, rows / 4, ... It sees a learner that
// settles within a few rows, whose first propensities have no mean of their own to compare. Under a
// fixed policy a distance over d has probability at most e exp(-2 d^2 m (n - m) / n) for any law and
// any m (Wei and Dudley, 2012), so no large sample is needed.
#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "rein/offpolicy.h"

namespace rein {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

constexpr double kLevel = 0.0005;  // of each of the two tests
constexpr std::int64_t kFewestRows = 200;
constexpr std::size_t kFewestFirst = 8;  // first rows that are compared with the later ones

bool block_means_vary(const OfflineRows& rows) {
  constexpr int kBlocks = 10;
  const int groups = rows.actions + 1;  // per action, and all together at the end
  struct Sum {
    double count = 0.0, sum = 0.0, square = 0.0;
  };
  std::vector<Sum> sums(at(groups) * kBlocks);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const double value = log(rows.propensity[at(row)]);
    const double place = (static_cast<double>(row) + 0.5) / static_cast<double>(rows.rows);
    const std::size_t block = std::min(at(static_cast<std::int64_t>(kBlocks * std::sqrt(place))),
                                       std::size_t{kBlocks - 1});
    for (const int group : {rows.played[at(row)], rows.actions}) {
      Sum& sum = sums[at(group) * kBlocks + block];
      sum.count += 1.0;
      sum.sum += value;
      sum.square += value * value;
    }
  }
  // Wilson and Hilferty's quantile of chi squared, with sqrt(2 log(1/level)), which is not less than
  // the normal quantile.
  const double z = std::sqrt(2.0 * log(static_cast<double>(groups) / kLevel));
  for (int group = 0; group < groups; ++group) {
    Sum all;
    double between = 0.0;
    int used = 0;
    for (int block = 0; block < kBlocks; ++block) {
      const Sum& sum = sums[at(group) * kBlocks + at(block)];
      if (sum.count < 10.0) continue;
      ++used;
      all.count += sum.count;
      all.sum += sum.sum;
      all.square += sum.square;
      between += sum.sum * sum.sum / sum.count;
    }
    const double k = used - 1;
    if (used < 2 || all.count <= used) continue;
    const double total = std::max(all.square - all.sum * all.sum / all.count, 0.0);
    between = std::max(between - all.sum * all.sum / all.count, 0.0);
    if (between <= 1e-12 * all.square) continue;  // rounding
    const double within = std::max(total - between, 0.0) / (all.count - used);
    const double root = 1.0 - 2.0 / (9.0 * k) + z * std::sqrt(2.0 / (9.0 * k));
    if (between > within * k * root * root * root) return true;
  }
  return false;
}

// Whether the first `m` of the values come from another law than the later ones, at level
// exp(-cost). `order` has their places in ascending order.
bool first_differ(std::span<const double> values, std::span<const std::size_t> order, std::size_t m,
                  double cost) {
  const std::size_t n = values.size();
  const double first = 1.0 / static_cast<double>(m);
  const double later = 1.0 / static_cast<double>(n - m);
  double gap = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    gap += order[i] < m ? first : -later;
    // Equal values count together.
    if (i + 1 == n || values[order[i + 1]] > values[order[i]])
      largest = std::max(largest, std::abs(gap));
  }
  return 2.0 * largest * largest / (first + later) > 1.0 + cost;
}

bool first_rows_vary(const OfflineRows& rows) {
  const int groups = rows.actions + 1;
  for (int group = 0; group < groups; ++group) {
    std::vector<double> values;
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      if (group == rows.actions || rows.played[at(row)] == group)
        values.push_back(rows.propensity[at(row)]);
    }
    std::vector<std::size_t> firsts;
    for (std::size_t m = values.size() / 2; m >= kFewestFirst; m /= 2) firsts.push_back(m);
    if (firsts.empty()) continue;
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    const double cost = log(static_cast<double>(firsts.size()) * groups / kLevel);
    for (const std::size_t m : firsts) {
      if (first_differ(values, order, m, cost)) return true;
    }
  }
  return false;
}

}  // namespace

bool varies_with_time(const OfflineRows& rows) {
  if (rows.propensity.empty() || rows.rows < kFewestRows) return false;
  return block_means_vary(rows) || first_rows_vary(rows);
}

}  // namespace rein
