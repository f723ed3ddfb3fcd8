// OutcomeNoise: how far the outcomes of each head lie from what was predicted, in units.
//
// For ridge regression in a linear class with noise of variance s^2, the squared miss of a
// prediction has the mean s^2 (1 + w), w = phi' A^-1 phi before the round. So
//
//     s_h^2 = sum of (y_h - y^_h)^2 (1 - v) / n_h,    v = w / (1 + w), the width
//
// estimates s^2, where n_h is the number of outcomes of this head. The estimate has no prior: it
// does not depend on the declared range, and it is multiplied by a number if all outcomes are. An
// oracle without widths has v = 0, and s_h is the root of its mean square miss.
#pragma once

#include <vector>

#include "rein/costs.h"

namespace rein {

class ByteReader;
class ByteWriter;

class OutcomeNoise {
 public:
  explicit OutcomeNoise(int heads)
      : squares_(static_cast<std::size_t>(heads)),
        counts_(squares_.size()),
        most_(squares_.size()) {}

  // Learns an outcome of a head: `miss` is outcome less prediction, in units, and `width` the width
  // of the action.
  void learn(int head, double miss, double width);

  // The standard deviation of one head. 0 if every prediction was exact, or nothing was learned.
  double of(int head) const;
  double reward() const;  // of head 0; 1 as long as that is 0: something must set the scale
  Costs costs() const;    // of the other heads
  // The largest value that of() has had.
  double most(int head) const { return most_[static_cast<std::size_t>(head)]; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  std::vector<double> squares_;
  std::vector<double> counts_;
  std::vector<double> most_;
};

}  // namespace rein
