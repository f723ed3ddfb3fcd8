// Sensitivity bands from scores that are already there (rein/offpolicy.h, sensitivity_band).
#pragma once

#include <span>

#include "offpolicy/scores.h"

namespace rein {

// `propensity`: of the log's rows; scores.row points into it. The ends are NaN if the log never played
// an action that the policy plays.
SensitivityBand sensitivity_of(const PolicyScores& scores, std::span<const double> propensity,
                               int head, double lambda);

}  // namespace rein
