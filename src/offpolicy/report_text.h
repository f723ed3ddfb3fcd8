// What estimates and curves say in words.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rein/whatif.h"

namespace rein {

// Adds the warnings about actions, of which there may be thousands: the first three in words, the
// others as their number. No value: nothing is to be said about the action.
void warn_of_actions(std::vector<std::string>& out, std::size_t actions,
                     const std::function<std::optional<std::string>(std::size_t)>& warning);

// Adds the shares at half the budget, the cheapest choice and the sentences. `marks`: the points at the cost
// of the log, at half of it, at half of what the last point spends, and at the least spend. `covariance` of the rewards of
// curve.points and marks, one after the other.
void add_verdict(Whatif& curve, std::span<const CurvePoint> marks,
                 std::span<const double> covariance);
// What the reader must know before using the curve. `unused` actions were played too rarely.
std::vector<std::string> warnings_of(const Whatif& curve, std::span<const int> unused);

}  // namespace rein
