// Prices larger than 1 are handed on divided by the largest, with the log of that: see Prices.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "rein/pricer.h"

namespace rein {

// `plain` as Prices.
inline Prices scaled_down(const Costs& plain) {
  Prices out{.scaled = plain};
  double largest = 1.0;
  for (double price : plain) largest = std::max(largest, std::abs(price));
  if (largest == 1.0) return out;
  out.log_scale = log(largest);
  for (double& price : out.scaled) price /= largest;
  return out;
}

}  // namespace rein
