#include "tuning/noise.h"

#include <algorithm>
#include <cmath>

#include "rein/bytes.h"

namespace rein {

void OutcomeNoise::learn(int head, double miss, double width) {
  const auto h = static_cast<std::size_t>(head);
  squares_[h] += miss * miss * (1.0 - width);
  counts_[h] += 1.0;
  most_[h] = std::max(most_[h], of(head));
}

double OutcomeNoise::of(int head) const {
  const auto h = static_cast<std::size_t>(head);
  return counts_[h] == 0.0 ? 0.0 : std::sqrt(squares_[h] / counts_[h]);
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
  out.parts(squares_, most_, counts_);
}

void OutcomeNoise::load(ByteReader& in) {
  in.tag("noise");
  in.parts(squares_, most_, counts_);
  for (double sum : squares_) {
    if (!(sum >= 0.0)) in.fail("noise: a sum of squares below 0");
  }
  for (double count : counts_) {
    if (!(count >= 0.0)) in.fail("noise: a count below 0");
  }
}

}  // namespace rein
