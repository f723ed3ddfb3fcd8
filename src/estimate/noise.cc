#include "estimate/noise.h"

#include <algorithm>
#include <cmath>

#include "rein/bytes.h"

namespace rein {

void OutcomeNoise::count() {
  count_ += 1.0;
  for (std::size_t h = 0; h < most_.size(); ++h) {
    most_[h] = std::max(most_[h], of(static_cast<int>(h)));
  }
}

double OutcomeNoise::of(int head) const {
  return count_ == 0.0 ? 0.0 : std::sqrt(squares_[static_cast<std::size_t>(head)] / count_);
}

double OutcomeNoise::reward() const {
  const double seen = of(0);
  return seen > 0.0 ? seen : 1.0;
}

Costs OutcomeNoise::costs() const {
  Costs costs(static_cast<int>(squares_.size()) - 1);
  for (int i = 0; i < costs.size(); ++i) costs[i] = of(i + 1);
  return costs;
}

void OutcomeNoise::save(ByteWriter& out) const {
  out.tag("noise");
  out.parts(squares_, most_, count_);
}

void OutcomeNoise::load(ByteReader& in) {
  in.tag("noise");
  in.parts(squares_, most_, count_);
  for (double sum : squares_) {
    if (!(sum >= 0.0)) in.fail("noise: a sum of squares below 0");
  }
  if (!(count_ >= 0.0)) in.fail("noise: a count below 0");
}

}  // namespace rein
