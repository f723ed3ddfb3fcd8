// SquarePotential: (Q+)^2 / v as a potential of the caller's own, the same as quadratic(v=V).
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "rein/own.h"

namespace rein {

class SquarePotential final : public OwnPotential {
 public:
  explicit SquarePotential(double v) : v_(v) {}
  double value(int, double queue) const override { return queue * slope(0, queue) / 2.0; }
  double slope(int, double queue) const override { return 2.0 * std::max(queue, 0.0) / v_; }

 private:
  double v_;
};

inline Own square(double v, const std::string& name = "own") {
  return {.potentials = {{name, std::make_shared<SquarePotential>(v)}}};
}

}  // namespace rein
