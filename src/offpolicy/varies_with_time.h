// Whether propensities vary with time (rein::varies_with_time), from sums that are merged over shards
// and a sample of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/offpolicy.h"

namespace rein {

// Numbers of one log: count, sum and sum of squares of log(propensity), per block of time, for each
// action and for all together.
std::size_t time_sums_size(int actions);
// `first` is the number of the first of these rows in a log of `total` rows.
void add_time_sums(const OfflineRows& rows, std::int64_t first, std::int64_t total,
                   std::span<double> sums);

// Propensities of single rows, in their order.
struct TimeSample {
  std::vector<std::int32_t> played;
  std::vector<double> propensity;
  // Appends those of these rows that belong to the sample.
  void add(const OfflineRows& rows, std::int64_t first, std::int64_t total);
};

bool propensities_vary(std::span<const double> sums, const TimeSample& sample, int actions,
                       std::int64_t total);

}  // namespace rein
