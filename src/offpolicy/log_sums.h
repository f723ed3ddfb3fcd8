// What rows add to the description of a log: sums that are merged over shards. And a question about a log
// as a whole: did a policy that learned make it? unit_question.h asks whether its rows belong together.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "offpolicy/rows.h"

namespace rein {

// Where each number and each list of a description begins. All of them but `missing`, `moments` and
// `time` are over rows with all outcomes.
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
  std::size_t moments;                   // of the features (add_moments)
  std::size_t time;                      // add_time_sums
  std::size_t size;
};
// Adds the description of these rows. `first` is the number of the first of these rows in a log of
// `total` rows. `origin` is the context of the first row of the log.
void add_log(const OfflineRows& rows, std::int64_t first, std::int64_t total,
             std::span<const double> origin, std::span<double> sums);

// The sums over observations of e^2, e^3 and e^4, per head, where e is the sum of weight * (outcome - mean)
// over the rows of the observation; and the number of observations. Rows of a unit follow each other.
inline std::size_t spread_size(int heads) { return 3 * at(heads) + 1; }
void add_spread(const OfflineRows& rows, std::span<const double> mean, std::span<double> sums);

// Whether propensities vary with time (rein::varies_with_time), from sums that are merged over shards
// and a sample of rows. The sums: count, sum and sum of squares of log(propensity), per block of time,
// for each action and for all together.
std::size_t time_sums_size(int actions);
// `first` is the number of the first of these rows in a log of `total` rows.
void add_time_sums(const OfflineRows& rows, std::int64_t first, std::int64_t total,
                   std::span<double> sums);
// Appends played and propensity of the rows that belong to the sample, in their order.
void add_time_sample(const OfflineRows& rows, std::int64_t first, std::int64_t total,
                     RowColumns& sample);
bool propensities_vary(std::span<const double> sums, const RowColumns& sample, int actions,
                       std::int64_t total);

}  // namespace rein
