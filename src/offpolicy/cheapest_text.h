// The cheapest choice of a curve, what more money adds to it, and both in words.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "rein/whatif.h"

namespace rein {

// The covariance of the rewards of points, size x size, and the places of three of them: the last point, half
// of what it spends, and the least spend.
struct RewardCovariance {
  std::span<const double> all;
  std::size_t size;
  std::span<const std::size_t> places;
  double of(std::size_t i, std::size_t j) const { return all[places[i] * size + places[j]]; }
};

// `marks` as for add_verdict(). Empty if the last point cannot be met or spends no more.
std::optional<CheapestChoice> cheapest_choice(const Whatif& curve, std::span<const CurvePoint> marks,
                                              const RewardCovariance& covariance);
// Adds what curve.cheapest says to the verdict, with curve.total also as totals.
void add_cheapest(Whatif& curve);

}  // namespace rein
