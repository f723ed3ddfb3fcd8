// Limits the weight of an example in a learner that keeps a factor of reg I + sum phi phi'.
//
// A double holds 53 bits. If one example is 2^53 times as long as another, the shorter one is lost
// in the factor. Soon after, the factor is noise, and solving with it overflows. So numbers of phi
// over kTameReach sqrt(reg) are scaled down: phi and the outcome are both multiplied by the same
// weight s, a power of two. This is weighted least squares: the example still says theta . phi = y,
// with weight s^2. Then the factor of 2^40 rounds has a condition number of at most 2^48 sqrt(d)
// for any accepted features, and all products and sums stay finite.
//
// Most problems have smaller numbers: then s is 1 and no bit changes.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "base/within.h"

namespace rein {

// The largest number of phi that counts in full, in units of sqrt(reg).
inline constexpr double kTameReach = 0x1p28;

class Tame {
 public:
  // A power of two, so that all ways of comparing with it agree.
  explicit Tame(double reg) : limit_(std::ldexp(1.0, std::ilogb(kTameReach * std::sqrt(reg)))) {}

  // The largest absolute value that counts in full. At least 1 for reg >= 1e-12.
  double limit() const { return limit_; }
  // The weight of an example with this largest number. REQUIRES a finite number.
  double weight(double largest) const {
    if (largest <= limit_) return 1.0;
    int exponent = 0;
    std::frexp(largest / limit_, &exponent);
    return std::ldexp(1.0, -exponent);
  }
  double weight(std::span<const double> phi) const {
    if (all_within(phi, limit_)) return 1.0;
    double largest = 0.0;
    for (double x : phi) largest = std::max(largest, std::abs(x));
    return weight(largest);
  }

 private:
  double limit_;
};

}  // namespace rein
