// The joint band: how many standard errors cover all points of a curve at once.
#pragma once

#include <cstdint>
#include <span>

namespace rein {

// The 95 % quantile of the largest |t| over n normal variables with this covariance (n x n), from
// 10 000 draws. Variables of variance 0 do not count. At least 1.96, which is the answer for one.
double joint_quantile(std::span<const double> covariance, int n, std::uint64_t seed);

}  // namespace rein
