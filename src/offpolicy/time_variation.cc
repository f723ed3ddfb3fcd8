#include "offpolicy/time_variation.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"

namespace rein {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
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

bool time_sums_vary(std::span<const double> sums, int actions, std::int64_t total) {
  if (total < 20 * kBlocks) return false;
  const int groups = actions + 1;  // per action, and all together at the end
  // Wilson and Hilferty's quantile of chi squared, with sqrt(2 log(1/level)), which is not less than
  // the normal quantile.
  const double z = std::sqrt(2.0 * log(static_cast<double>(groups) / 0.001));
  for (int group = 0; group < groups; ++group) {
    if (group_varies(sums, group, z)) return true;
  }
  return false;
}

bool varies_with_time(const OfflineRows& rows) {
  if (rows.propensity.empty()) return false;
  std::vector<double> sums(time_sums_size(rows.actions), 0.0);
  add_time_sums(rows, 0, rows.rows, sums);
  return time_sums_vary(sums, rows.actions, rows.rows);
}

}  // namespace rein
