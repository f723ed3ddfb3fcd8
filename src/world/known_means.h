// KnownMeans: a world with known true means. It implements everything except the rounds.
//
//     means(t, a) = truth(round t, a)        outcome(t, a) = means(t, a) + noise(seed, t, a)
//
// A derived world only defines round t, in arrange().
#pragma once

#include <vector>

#include "rein/oracle.h"
#include "rein/world.h"
#include "world/noise.h"

namespace rein {

class KnownMeans : public World {
 public:
  const Shape& shape() const final { return shape_; }
  const Round& next() final;
  void outcome(int action, Outcome& out) const final;
  void means(std::span<double> out) const final;
  bool highest(std::span<double> out) const final;
  // A world that overrides observe() must also say that it adapts.
  void observe(int /*action*/, const Outcome& /*outcome*/) override {}
  bool adapts() const override { return false; }

 protected:
  // REQUIRES shape.truth. Sets shape.rounds.
  KnownMeans(Shape shape, const Noise& noise, std::int64_t rounds);

  // Makes round_ the round t = 0, 1, .... There is no last round. Never allocates.
  virtual void arrange(std::int64_t t) = 0;

  Round round_;

 private:
  Shape shape_;
  Noise noise_;
  std::vector<Range> ranges_;
  std::int64_t t_ = -1;
  std::vector<double> means_;  // [action * heads + head]
};

}  // namespace rein
