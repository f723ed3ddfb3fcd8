// Growth: how a number grows with the horizon, as the slope of a line through logarithms.
#pragma once

#include <cstdint>
#include <vector>

namespace rein {

// The least-squares slope of log y against log x is sum_h w_h log y_h, with these weights. REQUIRES
// at least two different horizons.
std::vector<double> slope_weights(const std::vector<std::int64_t>& horizons);

// That slope; NaN if some y is not above 0.
double log_slope(const std::vector<std::int64_t>& horizons, const std::vector<double>& y);

}  // namespace rein
