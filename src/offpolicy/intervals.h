// Which estimates of a policy have an interval, and from what it is made.
#pragma once

#include "offpolicy/scores.h"

namespace rein {

// The range of every head: as given, or 0 to 1 where all outcomes of the log are 0 or 1; NaN: unknown.
std::vector<OutcomeRange> ranges_of(const OfflineRows& rows, std::span<const OutcomeRange> given);

// Takes away the intervals that would not be true: the log never or not always could play what the policy
// plays, propensities are visibly wrong, or too few rows carry the estimate. Where few rows carry the
// error, and the range of the outcome is known, an interval from bets takes the place of the other. Says
// why a head has none.
void set_intervals(const OfflineRows& rows, const PolicyScores& scores, const ValueOptions& options,
                   Evaluation& out);
// The same for the mean outcome of the log itself, of which `rows` are those with a weight.
void set_logged_interval(const OfflineRows& rows, const ValueOptions& options, PolicyValue& value,
                         std::vector<std::string>& warnings);

}  // namespace rein
