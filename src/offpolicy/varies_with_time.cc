// Whether propensities vary with time, by two tests at half the level each.
//
// Block means: the analysis of variance of log(propensity) over 10 blocks. It sees slow changes.
// First rows: the largest distance between the laws of the propensities in the first m rows and in
// all later ones (Kolmogorov and Smirnov), for m = rows / 2, rows / 4, ... It sees a learner that
// settles within a few rows, whose first propensities have no mean of their own to compare. Under a
// fixed policy a distance over d has probability at most e exp(-2 d^2 m (n - m) / n) for any law and
// any m (Wei and Dudley, 2012), so no large sample is needed.
// The second test needs the propensities themselves. Of a log of more than 131 072 rows it uses the
// first 16 384 rows and about 65 536 more, evenly spread.
#include "offpolicy/varies_with_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/at.h"

namespace rein {
namespace {

constexpr double kLevel = 0.0005;  // of each of the two tests
constexpr std::int64_t kFewestRows = 200;
constexpr std::size_t kFewestFirst = 8;  // first rows that are compared with the later ones
constexpr std::int64_t kAllRows = 131'072;
constexpr std::int64_t kFirstRows = 16'384;
constexpr std::int64_t kLaterRows = 65'536;
constexpr int kBlocks = 10;

struct Sum {
  double count = 0.0, sum = 0.0, square = 0.0;
};

Sum sum_at(std::span<const double> sums, int group, int block) {
  const double* at_block = sums.data() + at(group * kBlocks + block) * 3;
  return {at_block[0], at_block[1], at_block[2]};
}

// Analysis of variance over the blocks: whether the means of a group differ. `z` is the quantile.
bool group_varies(std::span<const double> sums, int group, double z) {
  Sum all;
  double between = 0.0;
  int used = 0;
  for (int block = 0; block < kBlocks; ++block) {
    const Sum sum = sum_at(sums, group, block);
    if (sum.count < 10.0) continue;
    ++used;
    all.count += sum.count;
    all.sum += sum.sum;
    all.square += sum.square;
    between += sum.sum * sum.sum / sum.count;
  }
  const double k = used - 1;
  if (used < 2 || all.count <= used) return false;
  const double total = std::max(all.square - all.sum * all.sum / all.count, 0.0);
  between = std::max(between - all.sum * all.sum / all.count, 0.0);
  if (between <= 1e-12 * all.square) return false;  // rounding
  const double within = std::max(total - between, 0.0) / (all.count - used);
  const double root = 1.0 - 2.0 / (9.0 * k) + z * std::sqrt(2.0 / (9.0 * k));
  return between > within * k * root * root * root;
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

// Of the rows that played `group`, or of all.
bool first_rows_vary(const TimeSample& sample, int group, int actions) {
  std::vector<double> values;
  for (std::size_t i = 0; i < sample.played.size(); ++i) {
    if (group == actions || sample.played[i] == group) values.push_back(sample.propensity[i]);
  }
  std::vector<std::size_t> firsts;
  for (std::size_t m = values.size() / 2; m >= kFewestFirst; m /= 2) firsts.push_back(m);
  if (firsts.empty()) return false;
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double cost = log(static_cast<double>(firsts.size()) * (actions + 1) / kLevel);
  return std::any_of(firsts.begin(), firsts.end(),
                     [&](std::size_t m) { return first_differ(values, order, m, cost); });
}

}  // namespace

std::size_t time_sums_size(int actions) { return at(actions + 1) * kBlocks * 3; }

void add_time_sums(const OfflineRows& rows, std::int64_t first, std::int64_t total,
                   std::span<double> sums) {
  if (rows.propensity.empty()) return;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const double value = log(rows.propensity[at(row)]);
    const double place = (static_cast<double>(first + row) + 0.5) / static_cast<double>(total);
    const std::size_t block = std::min(at(static_cast<std::int64_t>(kBlocks * std::sqrt(place))),
                                       std::size_t{kBlocks - 1});
    for (const int group : {rows.played[at(row)], rows.actions}) {
      double* sum = sums.data() + (at(group) * kBlocks + block) * 3;
      sum[0] += 1.0;
      sum[1] += value;
      sum[2] += value * value;
    }
  }
}

void TimeSample::add(const OfflineRows& rows, std::int64_t first, std::int64_t total) {
  const std::int64_t step = total > kAllRows ? total / kLaterRows : 1;
  for (std::int64_t row = 0; row < rows.rows && !rows.propensity.empty(); ++row) {
    if (first + row >= kFirstRows && (first + row) % step != 0) continue;
    played.push_back(rows.played[at(row)]);
    propensity.push_back(rows.propensity[at(row)]);
  }
}

bool propensities_vary(std::span<const double> sums, const TimeSample& sample, int actions,
                       std::int64_t total) {
  if (total < kFewestRows || sample.propensity.empty()) return false;
  const int groups = actions + 1;  // per action, and all together at the end
  // Wilson and Hilferty's quantile of chi squared, with sqrt(2 log(1/level)), which is not less than
  // the normal quantile.
  const double z = std::sqrt(2.0 * log(static_cast<double>(groups) / kLevel));
  for (int group = 0; group < groups; ++group) {
    if (group_varies(sums, group, z)) return true;
  }
  for (int group = 0; group < groups; ++group) {
    if (first_rows_vary(sample, group, actions)) return true;
  }
  return false;
}

bool varies_with_time(const OfflineRows& rows) {
  if (rows.propensity.empty() || rows.rows < kFewestRows) return false;
  std::vector<double> sums(time_sums_size(rows.actions), 0.0);
  add_time_sums(rows, 0, rows.rows, sums);
  TimeSample sample;
  sample.add(rows, 0, rows.rows);
  return propensities_vary(sums, sample, rows.actions, rows.rows);
}

}  // namespace rein
