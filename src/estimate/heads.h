// Heads: what every oracle needs to know about the m + 1 numbers it learns: how many there are,
// what to divide outcomes by so that they lie in [-1, 1], and where to clip predictions.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/units.h"
#include "rein/costs.h"
#include "rein/shape.h"

namespace rein {

class Heads {
 public:
  explicit Heads(const Shape& shape)
      : ranges_(ranges_of(shape)),
        units_(units_of(shape)),
        theta_squared_(std::max(1.0, shape.theta * shape.theta)) {}

  int size() const { return static_cast<int>(ranges_.size()); }
  double unit(int head) const { return units_[head]; }
  // Of the range of a head, in units: at most 2.
  double width(int head) const { return (ranges_[head].high - ranges_[head].low) / units_[head]; }
  // |theta|^2 of the functions that a linear oracle is to learn, in units.
  double theta_squared() const { return theta_squared_; }
  // An outcome in units.
  double to_units(int head, double outcome) const { return outcome / units_[head]; }
  // A prediction in units: within the range of the head.
  double clip_units(int head, double prediction) const {
    return std::clamp(prediction, ranges_[head].low / units_[head],
                      ranges_[head].high / units_[head]);
  }
  // The same, in the units of the shape.
  double from_units(int head, double prediction) const {
    return clip(head, prediction * units_[head]);
  }
  // A value in the units of the shape: within the range of the head.
  double clip(int head, double value) const {
    return std::clamp(value, ranges_[head].low, ranges_[head].high);
  }
  // What saved numbers of an oracle with so many features and parameter sets must agree on.
  std::array<Known, 3> known(int features, int sets) const {
    return {{{"features", features}, {"parameter sets", sets}, {"heads", size()}}};
  }

 private:
  std::vector<Range> ranges_;
  std::vector<double> units_;
  double theta_squared_;
};

// One number a head, on the stack. There is always room for every head that a shape may have, so a
// function that writes all of its heads does no harm where only the first are asked for.
class HeadValues {
 public:
  double& operator[](int head) { return values_[head]; }
  std::span<double> of(const Heads& heads) {
    return {values_, static_cast<std::size_t>(heads.size())};
  }

 private:
  double values_[1 + kMaxCosts];
};

}  // namespace rein
