// Whether every number of a list has an accepted size.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "base/kernels.h"

namespace rein {

// False if some |x| exceeds `limit` or is NaN; at the limit itself, exact up to rounding.
inline bool all_within(std::span<const double> numbers, double limit) {
  constexpr std::size_t kFew = 16;  // for so few numbers a call costs more than the work
  if (numbers.size() > kFew) return kernels().all_within(numbers.data(), numbers.size(), limit);
  bool within = true;
  for (double x : numbers) within &= std::abs(x) <= limit;
  return within;
}

// Whether all numbers are finite. The test adds 0 times each number: that is 0 for a finite number
// and NaN for any other.
inline bool all_finite(std::span<const double> numbers) {
  constexpr std::size_t kFew = 64;
  if (numbers.size() > kFew) return all_within(numbers, std::numeric_limits<double>::max());
  double zero[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= numbers.size(); i += 4) {
    for (std::size_t j = 0; j < 4; ++j) zero[j] += 0.0 * numbers[i + j];
  }
  for (; i < numbers.size(); ++i) zero[0] += 0.0 * numbers[i];
  return (zero[0] + zero[1]) + (zero[2] + zero[3]) == 0.0;
}

}  // namespace rein
