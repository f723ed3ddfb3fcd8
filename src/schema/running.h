// Running: mean and spread of the numbers seen so far, by Welford's update:
//
//     n += 1;  delta = x - mean;  mean += delta / n;  squares += delta (x - mean)
//     spread = sqrt(squares / n)
//
// The update subtracts no large sums from each other, so the spread of numbers around 1e6 is as
// exact as that of numbers around 0. Equal numbers have a spread of exactly 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rein/bytes.h"
#include "rein/shape.h"

namespace rein {

class Running {
 public:
  void add(double x) {
    ++count_;
    const double delta = x - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (x - mean_);
    update();
  }
  // Between -clip and clip; 0 while there is no spread.
  double standard(double x, double clip) const {
    return std::clamp((x - mean_) * inverse_, -clip, clip);
  }

  void save(ByteWriter& out) const {
    out.i64(count_);
    out.parts(mean_, squares_);
  }
  Result<> load(ByteReader& in) {
    count_ = in.count();
    in.parts(mean_, squares_);
    // Sums of squares of numbers up to kMaxNumber, at most 2^53 of them.
    constexpr double kHighest = 4.0 * kMaxNumber * kMaxNumber * 9007199254740992.0;
    if (!(std::abs(mean_) <= kMaxNumber && squares_ >= 0.0 && squares_ <= kHighest) ||
        (count_ < 2 && squares_ > 0.0) || (count_ == 0 && mean_ != 0.0)) {
      in.fail("saved state has an impossible mean or spread");
    }
    if (!in.ok()) *this = {};
    update();
    return in.status();
  }

 private:
  void update() {
    const double spread = count_ > 0 ? std::sqrt(squares_ / static_cast<double>(count_)) : 0.0;
    inverse_ = spread > 0.0 ? 1.0 / spread : 0.0;  // a root above 0 is at least 1e-162
  }

  std::int64_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
  double inverse_ = 0.0;  // 1 / spread, or 0
};

}  // namespace rein
