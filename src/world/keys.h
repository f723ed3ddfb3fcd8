// Keys that several worlds take, read in one place.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/spec_reader.h"
#include "rein/shape.h"

namespace rein {

// m costs, signed in [-1, 1] or positive in [0, 1], named cost, or cost_1, cost_2, ... .
std::vector<CostShape> cost_shapes(int m, bool positive);

// Asks for `budget` (a total) and `rate` (a round): one number for all costs, or a list with one a
// cost. Gives totals; empty where neither is given and there is no usual rate.
std::vector<double> read_budgets(SpecReader& read, int m, std::int64_t rounds,
                                 std::optional<double> usual_rate = std::nullopt);

// Asks for `safe`: the most that the safe action costs a round in the mean, where costs are
// positive. Usually 0.05, or half of the smallest budget a round where that is less, so that it
// always fits.
double read_safe(SpecReader& read, const std::vector<double>& budgets, std::int64_t rounds);

// Refuses a key that was given but means nothing here: `key "block" is for order=switching`.
void only_with(SpecReader& read, std::string_view key, bool applies, std::string_view where);
// Where costs are signed the safe action has a `margin`, where they are positive it is `safe`.
void margin_or_safe(SpecReader& read, bool positive);

}  // namespace rein
