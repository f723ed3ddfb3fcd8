// A shallow tree that says by few features which label a row has. It is grown leaf by leaf: the next split is
// the one that lowers the weighted Gini impurity most. Thresholds have few digits, because people read them.
#pragma once

#include <span>
#include <vector>

#include "offpolicy/rows.h"
#include "rein/segments.h"

namespace rein {

struct LabelledRows {
  int features = 0;
  int labels = 1;
  std::span<const double> context;      // rows x features
  std::span<const std::int32_t> label;  // in [0, labels)
  std::span<const double> weight;       // how much a wrong label would cost
};

using SegmentPath = std::vector<SegmentCondition>;

inline bool in_segment(const SegmentPath& path, const double* x) {
  for (const SegmentCondition& each : path) {
    if ((x[each.feature] > each.at) != each.above) return false;
  }
  return true;
}

// The paths to at most `most` leaves of at least `least` rows each. Every context is in one of them.
std::vector<SegmentPath> grow_segments(const LabelledRows& rows, int most, std::int64_t least);

// The number between low (included) and high (excluded) that has the fewest digits. REQUIRES low < high.
double round_number_in(double low, double high);

}  // namespace rein
