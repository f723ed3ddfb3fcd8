// How well a problem can be known: its rounds per feature and per parameter.
//
//   per feature    Below 40, w stays large, and VAW's divisor 1 + w leaves little of what is
//                  learned. From 80 on the divisor counts in full.
//   per parameter  Below 10, actions are tried until the end, and earlier decisions knew much less
//                  than the present ones: prices are rehearsed on the last quarter of the rounds.
//                  From 20 on they are rehearsed on all. The same holds for the plays that money
//                  buys per parameter, with 2 and 4: the first decisions, which knew nothing, would
//                  be as many as the plays that can be paid.
//   plays per feature  Below 1/2, no action can be learned from its own plays, and the estimate is
//                  what all actions have in common (tuning/shared_part.h). From 1 on every action
//                  has its own estimate.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/tuned.h"
#include "rein/shape.h"

namespace rein {

// 0 where rounds are few, at most `few` per `count`; 1 from twice as many on; linear between them.
inline double enough_rounds(double rounds, double count, double few) {
  return std::clamp(rounds / (few * count) - 1.0, 0.0, 1.0);
}

// The share of VAW's divisor. Actions with features share what is learned: then the divisor counts
// in full.
inline double forward_share(std::int64_t rounds, const Shape& shape) {
  if (rounds == 0 || shape.features > 0) return 1.0;
  return enough_rounds(static_cast<double>(rounds), shape.context + 1.0,
                       tuned::kForwardRounds);
}

// The number of parameters that are learned from the plays of one action; 0 where actions with
// features share them.
inline double parameters(const Shape& shape) {
  return shape.features > 0 ? 0.0 : (shape.context + 1.0) * shape.actions;
}

// The share of the rounds, the later ones, that prices are rehearsed on. `plays` are the rounds of
// the horizon that teach something; 0: unknown.
inline double later_share(std::int64_t rounds, double plays, double parameters) {
  if (rounds == 0 || parameters == 0.0) return 1.0;
  const auto all = static_cast<double>(rounds);
  const double enough = std::min(enough_rounds(all, parameters, 0.5 * tuned::kKnownRounds),
                                 enough_rounds(plays, parameters, tuned::kLaterPlays));
  return tuned::kLaterShare + (1.0 - tuned::kLaterShare) * enough;
}

// The share of what actions have in common. `plays` as above.
inline double shared_share(double plays, double features) {
  return plays == 0.0 ? 0.0 : 1.0 - enough_rounds(plays, features, tuned::kSharedPlays);
}

}  // namespace rein
