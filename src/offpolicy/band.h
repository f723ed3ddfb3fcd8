// The joint band: how many standard errors cover all points of a curve at once.
#pragma once

#include <cstdint>
#include <span>

namespace rein {

// The 97 % quantile of the largest |t| over n normal variables with this covariance (n x n), from
// 10 000 draws. It serves bands of 95 %: the covariance and the budget's price are estimated, which
// costs up to 2 points on logs of 2 000 rows (docs/whatif.md). Variables of variance 0 do not count.
// At least 1.96, which is the answer for one.
double joint_quantile(std::span<const double> covariance, int n, std::uint64_t seed);

}  // namespace rein
