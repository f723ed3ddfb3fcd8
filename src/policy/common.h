// What every policy class does alike: checks of what comes in, the draw, the text of a shape.
#pragma once

#include <span>
#include <string>

#include "explore/explorer.h"
#include "rein/policy.h"

namespace rein {

// The action whose share of [0, 1) contains u. Rounding may leave a sliver at the end: it belongs
// to the last action that has any probability.
int draw(std::span<const double> p, double u);

// The first action with the largest score.
int best_of(std::span<const double> scores);

// Refuses reservations that are not one finite number per cost. `units` of the reward and every
// cost.
Result<> check_reserved(const Shape& shape, std::span<const double> units,
                        std::span<const double> reserved);

// The last look at a decision before its action is drawn: refuses one whose estimates, scores,
// prices or rate of exploration are not finite, whose probabilities do not sum to 1, or that
// check_decided() would refuse. Nothing may have changed yet, the Rng included.
Result<> check_sound(const Decision& decision);

// Refuses a decision that decide() cannot have written for this round.
Result<> check_decided(const Round& round, const Decision& decision);

// All of a shape that what is learned depends on, as text: state of another shape is refused by it.
std::string text_of(const Shape& shape);

}  // namespace rein
