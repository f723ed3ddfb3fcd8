// What a what-if curve says in words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rein/whatif.h"

namespace rein {

// `covariance` of the rewards of curve.points; `at_logged` is the point at the cost of the log.
std::vector<std::string> verdict_of(const Whatif& curve, std::span<const double> covariance,
                                    const CurvePoint& at_logged);
// What the reader must know before using the curve. `unused` actions were played too rarely.
std::vector<std::string> warnings_of(const Whatif& curve, std::span<const int> unused);

}  // namespace rein
