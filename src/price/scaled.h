// Prices larger than 1 are divided by the largest, and its logarithm is kept: see Prices.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "rein/pricer.h"

namespace rein {

// Converts plain prices to Prices.
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
