// Whether every number of a list has an accepted size.
#pragma once

#include <cmath>
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

}  // namespace rein
