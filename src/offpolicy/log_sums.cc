#include "offpolicy/log_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math.h"
#include "offpolicy/action_models.h"
#include "offpolicy/overlap.h"

namespace rein {
namespace {

// Whether propensities vary with time: two tests at half the level each.
//
// Block means: the analysis of variance of log(propensity) over 10 blocks. It sees slow changes.
// First rows: the largest distance between the laws of the propensities in the first m rows and in
// all later ones (Kolmogorov and Smirnov), for m = rows / 2, rows / 4, ... It sees a learner that
// settles within a few rows, whose first propensities have no mean of their own to compare. Under a
// fixed policy a distance over d has probability at most e exp(-2 d^2 m (n - m) / n) for any law and
// any m (Wei and Dudley, 2012), so no large sample is needed.
// The second test needs the propensities themselves. Of a log of more than 131 072 rows it uses the
// first 16 384 rows and about 65 536 more, evenly spread.

// Of each of the two tests.
constexpr double kTimeLevel = 0.0005;
// Smaller logs are not tested: blocks of 20 rows say little.
constexpr std::int64_t kFewestTimeRows = 200;
// Blocks of time of the first test. They grow with time, because a learner changes most at first.
constexpr int kTimeBlocks = 10;
// Fewest first rows that the second test compares with the later ones.
constexpr std::size_t kFewestFirstRows = 8;
// Logs with more rows are sampled for the second test, which sorts propensities: the first rows, and
// about so many later ones.
constexpr std::int64_t kSampledFrom = 131'072;
constexpr std::int64_t kFirstSample = 16'384;
constexpr std::int64_t kLaterSample = 65'536;

struct Sum {
  double count = 0.0, sum = 0.0, square = 0.0;
};

Sum sum_at(std::span<const double> sums, int group, int block) {
  const double* at_block = sums.data() + at(group * kTimeBlocks + block) * 3;
  return {at_block[0], at_block[1], at_block[2]};
}

// Analysis of variance over the blocks: whether the means of a group differ. `z` is the quantile.
bool group_varies(std::span<const double> sums, int group, double z) {
  Sum all;
  double between = 0.0;
  int used = 0;
  for (int block = 0; block < kTimeBlocks; ++block) {
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
bool first_rows_vary(const RowColumns& sample, int group, int actions) {
  std::vector<double> values;
  for (std::size_t i = 0; i < sample.played.size(); ++i) {
    if (group == actions || sample.played[i] == group) values.push_back(sample.propensity[i]);
  }
  std::vector<std::size_t> firsts;
  for (std::size_t m = values.size() / 2; m >= kFewestFirstRows; m /= 2) firsts.push_back(m);
  if (firsts.empty()) return false;
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double cost = log(static_cast<double>(firsts.size()) * (actions + 1) / kTimeLevel);
  return std::any_of(firsts.begin(), firsts.end(),
                     [&](std::size_t m) { return first_differ(values, order, m, cost); });
}

}  // namespace

std::size_t time_sums_size(int actions) { return at(actions + 1) * kTimeBlocks * 3; }

void add_time_sums(const OfflineRows& rows, std::int64_t first, std::int64_t total,
                   std::span<double> sums) {
  if (rows.propensity.empty()) return;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const double value = log(rows.propensity[at(row)]);
    const double place = (static_cast<double>(first + row) + 0.5) / static_cast<double>(total);
    const std::size_t block = std::min(at(static_cast<std::int64_t>(kTimeBlocks * std::sqrt(place))),
                                       std::size_t{kTimeBlocks - 1});
    for (const int group : {rows.played[at(row)], rows.actions}) {
      double* sum = sums.data() + (at(group) * kTimeBlocks + block) * 3;
      sum[0] += 1.0;
      sum[1] += value;
      sum[2] += value * value;
    }
  }
}

void add_time_sample(const OfflineRows& rows, std::int64_t first, std::int64_t total,
                     RowColumns& sample) {
  const std::int64_t step = total > kSampledFrom ? total / kLaterSample : 1;
  for (std::int64_t row = 0; row < rows.rows && !rows.propensity.empty(); ++row) {
    if (first + row >= kFirstSample && (first + row) % step != 0) continue;
    sample.played.push_back(rows.played[at(row)]);
    sample.propensity.push_back(rows.propensity[at(row)]);
  }
}

bool propensities_vary(std::span<const double> sums, const RowColumns& sample, int actions,
                       std::int64_t total) {
  if (total < kFewestTimeRows || sample.propensity.empty()) return false;
  const int groups = actions + 1;  // per action, and all together at the end
  // Wilson and Hilferty's quantile of chi squared, with sqrt(2 log(1/level)), which is not less than
  // the normal quantile.
  const double z = std::sqrt(2.0 * log(static_cast<double>(groups) / kTimeLevel));
  for (int group = 0; group < groups; ++group) {
    if (group_varies(sums, group, z)) return true;
  }
  for (int group = 0; group < groups; ++group) {
    if (first_rows_vary(sample, group, actions)) return true;
  }
  return false;
}

bool varies_with_time(const OfflineRows& rows) {
  if (rows.propensity.empty() || rows.rows < kFewestTimeRows) return false;
  std::vector<double> sums(time_sums_size(rows.actions), 0.0);
  add_time_sums(rows, 0, rows.rows, sums);
  RowColumns sample;
  add_time_sample(rows, 0, rows.rows, sample);
  return propensities_vary(sums, sample, rows.actions, rows.rows);
}

namespace {

void add_complete(const LogSums& layout, const OfflineRows& rows, std::int64_t row,
                  std::span<double> sums) {
  const std::size_t played = at(rows.played[at(row)]);
  const double weight = rows.weight(row);
  sums[layout.complete] += 1.0;
  if (weight > 0.0) sums[layout.usable] += 1.0;
  sums[layout.weight] += weight;
  for (int head = 0; head < rows.heads; ++head) {
    sums[layout.outcomes + at(head)] += weight * rows.outcomes[at(row * rows.heads + head)];
  }
  sums[layout.plays + played] += 1.0;
  sums[layout.shares + played] += weight;
  add_calibration(rows, row, sums.subspan(layout.calibration, calibration_size(rows.actions)));
}

}  // namespace

LogSums::LogSums(int actions, int heads, int features) {
  std::size_t next = 0;
  const auto list = [&](std::size_t& begin, std::size_t length) {
    begin = next;
    next += length;
  };
  for (std::size_t* number : {&complete, &missing, &usable, &weight}) list(*number, 1);
  list(outcomes, at(heads));
  for (std::size_t* per_action : {&plays, &shares}) list(*per_action, at(actions));
  list(calibration, calibration_size(actions));
  list(moments, 2 * at(features));
  list(time, time_sums_size(actions));
  size = next;
}

void add_log(const OfflineRows& rows, std::int64_t first, std::int64_t total,
             std::span<const double> origin, std::span<double> sums) {
  const LogSums layout(rows.actions, rows.heads, rows.features);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (rows.complete(row)) {
      add_complete(layout, rows, row, sums);
    } else {
      sums[layout.missing] += 1.0;
    }
  }
  add_moments(rows, origin, sums.subspan(layout.moments, 2 * origin.size()));
  add_time_sums(rows, first, total, sums.subspan(layout.time, time_sums_size(rows.actions)));
}

void add_spread(const OfflineRows& rows, std::span<const double> mean, std::span<double> sums) {
  std::vector<double> error(mean.size(), 0.0);
  bool any = false;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (rows.complete(row)) {
      any = true;
      for (std::size_t head = 0; head < mean.size(); ++head) {
        error[head] +=
            rows.weight(row) * (rows.outcomes[at(row) * mean.size() + head] - mean[head]);
      }
    }
    const bool last = rows.unit.empty() || row + 1 == rows.rows ||
                      rows.unit[at(row + 1)] != rows.unit[at(row)];
    if (!last || !any) continue;
    for (std::size_t head = 0; head < mean.size(); ++head) {
      const double square = error[head] * error[head];
      sums[3 * head] += square;
      sums[3 * head + 1] += square * error[head];
      sums[3 * head + 2] += square * square;
      error[head] = 0.0;
    }
    sums[3 * mean.size()] += 1.0;
    any = false;
  }
}

}  // namespace rein
