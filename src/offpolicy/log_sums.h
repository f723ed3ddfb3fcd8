// What rows add to the description of a log: sums that are merged over shards.
#pragma once

#include <cstdint>
#include <span>

#include "offpolicy/rows.h"

namespace rein {

// The numbers of a description, and where each list begins. All but `missing`, `moments` and `time`
// are over rows with all outcomes.
struct LogSums {
  LogSums(int actions, int heads, int features);
  std::size_t complete;  // rows with all outcomes
  std::size_t missing;   // rows without
  std::size_t usable;    // rows with all outcomes and a weight above 0
  std::size_t weight;
  std::size_t outcomes;                  // per head: sum of weight * outcome
  std::size_t plays;                     // per action: rows
  std::size_t shares;                    // per action: weight
  std::size_t calibration;               // of the propensities (overlap.h)
  std::size_t moments;                   // of the features (fit_sums.h)
  std::size_t time;                      // log_checks.h
  std::size_t size;
};
// `first` is the number of the first of these rows in a log of `total` rows, and `origin` the context
// of its first row.
void add_log(const OfflineRows& rows, std::int64_t first, std::int64_t total,
             std::span<const double> origin, std::span<double> sums);

// The sums over observations of e^2, e^3 and e^4, per head, where e is the sum of weight * (outcome - mean)
// over the rows of the observation; and the number of observations. Rows of a unit follow each other.
inline std::size_t spread_size(int heads) { return 3 * at(heads) + 1; }
void add_spread(const OfflineRows& rows, std::span<const double> mean, std::span<double> sums);

}  // namespace rein
