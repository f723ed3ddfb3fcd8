// Calibration: the difference between an action's costs and their predictions when it was chosen.
//
// A policy that prefers low predicted costs selects predictions that are too low. With a wrong cost
// model this overspends permanently, because no price can correct a prediction. For every action
// and cost, this class keeps the mean and variance of cost - prediction over about the last hundred
// plays. The part of the mean beyond two standard errors is added to the prediction. A smaller
// difference is treated as chance: adding it would lock actions out.
#pragma once

#include <vector>

#include "base/size.h"
#include "rein/shape.h"

namespace rein {

class ByteReader;
class ByteWriter;

class Calibration {
 public:
  Calibration(int actions, int costs)
      : actions_(actions), costs_(costs), cells_(size(actions, costs)) {}

  // The amount to add to the predicted cost, in units.
  double correction(int action_id, int cost) const;
  // The root of the mean square miss, in units; infinite before two plays.
  double spread(int action_id, int cost) const;
  void learn(int action_id, int cost, double miss);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Cell {
    double plays = 0.0;
    double mean = 0.0;
    double variance = 0.0;
  };
  static std::size_t size(int actions, int costs) { return as_size(actions) * as_size(costs); }
  std::size_t at(int action_id, int cost) const {
    return as_size(action_id) * as_size(costs_) + as_size(cost);
  }
  int actions_;
  int costs_;
  std::vector<Cell> cells_;
};

}  // namespace rein
