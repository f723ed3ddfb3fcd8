// exp, log and cos of our own: the C library's differ in the last bit between machines, and what
// is learned must be the same bits everywhere. Plain + - * / and explicit fma only. Errors are
// below 2 units in the last place of the result over the whole range (tests/base/math_test.cc).
#pragma once

#include <limits>

namespace rein {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();  // "not known"

// 0 below -745.2, infinity above 709.79, NaN for NaN.
double exp(double x);
// -infinity at 0, NaN below.
double log(double x);
// REQUIRES |x| <= 1e6.
double cos(double x);

}  // namespace rein
