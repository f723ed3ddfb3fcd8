// Which parts of an outcome came, as bits: bit 0 is the reward, bit i + 1 is cost i.
#pragma once

#include <cstdint>

#include "rein/round.h"

namespace rein {

using Came = std::uint32_t;

inline constexpr Came kRewardCame = 1;
inline constexpr Came cost_came(int i) { return Came{2} << i; }
inline constexpr Came all_came(int costs) { return (Came{2} << costs) - 1; }

inline Came came_of(const Outcome& outcome) {
  Came came = is_missing(outcome.reward) ? 0 : kRewardCame;
  for (int i = 0; i < outcome.costs.size(); ++i) {
    if (!is_missing(outcome.costs[i])) came |= cost_came(i);
  }
  return came;
}

// The parts of an outcome that these bits name, with a number or kMissing for every cost.
inline Outcome only(const Outcome& outcome, Came which, int costs) {
  Outcome part{.reward = (which & kRewardCame) != 0 ? outcome.reward : kMissing,
               .costs = Costs(costs, kMissing)};
  for (int i = 0; i < outcome.costs.size(); ++i) {
    if ((which & cost_came(i)) != 0) part.costs[i] = outcome.costs[i];
  }
  return part;
}

}  // namespace rein
