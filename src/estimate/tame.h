// How much an example may count in a learner that keeps a factor of reg I + sum phi phi'.
//
// A double holds 53 bits. Once one example is 2^53 times as long as another, the shorter one is
// lost in the factor; a little later the factor is noise, and solving with it overflows. So numbers
// of phi over kTameReach sqrt(reg) are brought down: phi and the outcome are both multiplied by the
// same weight s, a power of two. That is weighted least squares: the example still says
// theta . phi = y, and counts s^2. With it the factor of 2^40 rounds has a condition number of at
// most 2^48 sqrt(d), for any features that are accepted, and all products and sums stay finite.
//
// Most problems have smaller numbers: s is 1 and no bit changes.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "base/within.h"

namespace rein {

// In sqrt(reg): the largest number of phi that counts in full.
inline constexpr double kTameReach = 0x1p28;

class Tame {
 public:
  // A power of two, so that every way of comparing with it says the same.
  explicit Tame(double reg) : limit_(std::ldexp(1.0, std::ilogb(kTameReach * std::sqrt(reg)))) {}

  // The largest number, in size, that counts in full. At least 1 for reg >= 1e-12.
  double limit() const { return limit_; }
  // The weight of an example whose largest number is this. REQUIRES a finite number.
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
