// Units: what rewards and costs are divided by, so that arithmetic sees numbers in [-1, 1]. A unit
// is the largest absolute value that a range allows; 0 stays 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "rein/shape.h"

namespace rein {

// The unit of a range: outcomes divided by it lie in [-1, 1].
inline double unit_of(const Range& range) {
  return std::max(std::abs(range.low), std::abs(range.high));
}

// The unit of the positive part of a cost; the range's own where nothing can be positive.
inline double positive_unit(const Range& range) {
  return range.high > 0.0 ? range.high : unit_of(range);
}

// The ranges of the reward and every cost, in the order of heads.
inline std::vector<Range> ranges_of(const Shape& shape) {
  std::vector<Range> ranges{shape.reward};
  for (const CostShape& cost : shape.costs) ranges.push_back(cost.range);
  return ranges;
}

// Their units. `positive_part`: only the positive parts of costs count.
inline std::vector<double> units_of(const Shape& shape, bool positive_part = false) {
  std::vector<double> units{unit_of(shape.reward)};
  for (const CostShape& cost : shape.costs) {
    units.push_back(positive_part ? positive_unit(cost.range) : unit_of(cost.range));
  }
  return units;
}

}  // namespace rein
