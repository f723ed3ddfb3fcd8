// What a what-if curve says in words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rein/whatif.h"

namespace rein {

// Adds the shares at half the budget and the sentences. `marks`: the points at the cost of the log,
// at half of it, and at half of what the last point spends. `covariance` of the rewards of
// curve.points and marks, one after the other.
void add_verdict(Whatif& curve, std::span<const CurvePoint> marks,
                 std::span<const double> covariance);
// What the reader must know before using the curve. `unused` actions were played too rarely.
std::vector<std::string> warnings_of(const Whatif& curve, std::span<const int> unused);

}  // namespace rein
