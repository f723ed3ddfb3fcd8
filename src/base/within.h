// Whether every number of a list is of a size that is accepted.
#pragma once

#include <cmath>
#include <span>

#include "base/kernels.h"

namespace rein {

// False where some |x| is over `limit` or not a number; at the limit itself, to within rounding.
inline bool all_within(std::span<const double> numbers, double limit) {
  constexpr std::size_t kFew = 16;  // for these a call costs more than the work
  if (numbers.size() > kFew) return kernels().all_within(numbers.data(), numbers.size(), limit);
  bool within = true;
  for (double x : numbers) within &= std::abs(x) <= limit;
  return within;
}

}  // namespace rein
