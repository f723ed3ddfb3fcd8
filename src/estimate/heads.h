// Heads: what every oracle needs to know about the m + 1 numbers that it learns. Heads has their
// count, the units that scale outcomes to [-1, 1], and the ranges that predictions are clipped to.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/units.h"
#include "rein/bytes.h"
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
  // The width of the range of a head, in units: at most 2.
  double width(int head) const { return (ranges_[head].high - ranges_[head].low) / units_[head]; }
  // |theta|^2 of the functions that a linear oracle must learn, in units.
  double theta_squared() const { return theta_squared_; }
  // Converts an outcome to units.
  double to_units(int head, double outcome) const { return outcome / units_[head]; }
  // Clips a prediction in units to the range of the head.
  double clip_units(int head, double prediction) const {
    return std::clamp(prediction, ranges_[head].low / units_[head],
                      ranges_[head].high / units_[head]);
  }
  // The clipped prediction, converted to the units of the shape.
  double from_units(int head, double prediction) const {
    return clip(head, prediction * units_[head]);
  }
  // Clips a value in the units of the shape to the range of the head.
  double clip(int head, double value) const {
    return std::clamp(value, ranges_[head].low, ranges_[head].high);
  }
  // The sizes that saved numbers must match, for an oracle with these features and parameter sets.
  std::array<Known, 3> known(int features, int sets) const {
    return {{{"features", features}, {"parameter sets", sets}, {"heads", size()}}};
  }

 private:
  std::vector<Range> ranges_;
  std::vector<double> units_;
  double theta_squared_;
};

// The heads of residuals y - p in units, for a model that learns what another model leaves over.
// Their range is [-2, 2].
inline Heads residual_heads(const Shape& shape) {
  Shape residuals;
  residuals.reward = {-2.0, 2.0};
  residuals.costs.assign(shape.costs.size(), {.range = {-2.0, 2.0}});
  return Heads(residuals);
}

// One number per head, on the stack. There is always room for every head that a shape may have. So
// a function may write all heads even if the caller asked only for the first ones.
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
