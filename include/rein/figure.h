// Figure: a mean over seeds with its interval.
#pragma once

#include <vector>

namespace rein {

// Mean, and 95 % t-interval of the mean; low and high are NaN with one seed.
struct Figure {
  double mean = 0.0;
  double low = 0.0;
  double high = 0.0;
};
Figure figure(const std::vector<double>& values);

}  // namespace rein
