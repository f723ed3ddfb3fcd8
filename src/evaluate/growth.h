// Growth: how a number grows with the horizon, as the slope of a line through logarithms.
#pragma once

#include <cstdint>
#include <vector>

#include "rein/verify.h"

namespace rein {

// The least-squares slope of log y against log x is sum_h w_h log y_h, with these weights. REQUIRES
// at least two different horizons.
std::vector<double> slope_weights(const std::vector<std::int64_t>& horizons);

// The least-squares slope of log y against log T; NaN if some y is not above 0.
double log_slope(const std::vector<std::int64_t>& horizons, const std::vector<double>& y);

// The least-squares slope of log mean against log T, from samples[horizon][seed], with a 95 %
// t-interval.
//
// The interval uses the delta method. Seed s moves the slope by sum_h w_h x_hs / mean_h, where w_h
// are the weights of the fit. One seed is the same world at every horizon, so there is one
// independent number per seed. kResolution is added on both sides, for the effect of lower-order
// terms at these horizons. NaN if a mean is not positive. REQUIRES at least two horizons, and the
// same number of seeds at each.
inline constexpr double kResolution = 0.01;
Figure growth_exponent(const std::vector<std::int64_t>& horizons,
                       const std::vector<std::vector<double>>& samples);

// Computes measured, exponent, pass and note from the other fields and the samples. A row fails if
// the low end of its exponent is above the theorem's, or if a mean is above its bound.
void judge(const std::vector<std::vector<double>>& samples, VerifyRow& row);

}  // namespace rein
