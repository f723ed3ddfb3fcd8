// Calibration: what an action's costs were, less what was predicted when it was chosen.
//
// Acting on the lowest predicted cost selects the predictions that are too low; where the cost
// model is wrong, that spends over the budget for good, since no price mends a prediction. Kept for
// every action and cost: mean and variance of cost - prediction, over about its last hundred plays.
// The part of the mean that is beyond two standard errors is added to the prediction; less than
// that is chance, and adding it would lock actions out.
#pragma once

#include <vector>

#include "base/size.h"
#include "rein/shape.h"

namespace rein {

class ByteReader;
class ByteWriter;

class Calibration {
 public:
  Calibration(int actions, int costs) : costs_(costs), cells_(size(actions, costs)) {}

  // What to add to the predicted cost, in units.
  double correction(int action_id, int cost) const;
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
  int costs_;
  std::vector<Cell> cells_;
};

}  // namespace rein
