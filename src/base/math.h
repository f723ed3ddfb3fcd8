// Our own exp, log and cos. Those of the C library differ in the last bit between machines, and
// learned state must have the same bits everywhere. They use only + - * / and explicit fma. Errors
// are below 2 units in the last place over the whole range (tests/base/math_test.cc).
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
