// Questions about a log as a whole: did a policy that learned make it, and do its rows belong together?
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "offpolicy/rows.h"

namespace rein {

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

// A question for people, if rewards are more alike than independent ones are, beyond what context and
// action predict: in rows that follow each other, or in rows of the same context. Otherwise, and where
// units are known, empty. Looks at the first rows of a long log.
std::string question_about_units(const OfflineRows& rows);

}  // namespace rein
