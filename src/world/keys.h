// Keys that several worlds take, read in one place.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/spec_reader.h"
#include "rein/shape.h"

namespace rein {

// Limit on the numbers that a world keeps (parameters, tables), and on the features of one round.
inline constexpr std::int64_t kMaxWorldNumbers = std::int64_t{1} << 24;
// Limit on the dimension of a world whose features are vectors.
inline constexpr std::int64_t kMaxWorldDimension = 4096;

// m costs, signed in [-1, 1] or positive in [0, 1], named cost, or cost_1, cost_2, ... .
std::vector<CostShape> cost_shapes(int m, bool positive);

// Reads `budget` (a total) and `rate` (per round): one number for all costs, or a list with one per
// cost. Returns totals; empty if neither is given and there is no default rate.
std::vector<double> read_budgets(SpecReader& read, int m, std::int64_t rounds,
                                 std::optional<double> usual_rate = std::nullopt);

// Reads `safe`: the largest mean cost per round of the safe action, for positive costs. The default
// is 0.05, or half of the smallest budget per round if that is smaller, so that it always fits.
double read_safe(SpecReader& read, const std::vector<double>& budgets, std::int64_t rounds);

// Refuses a key that was given but has no effect here: `key "block" is for order=switching`.
void only_with(SpecReader& read, std::string_view key, bool applies, std::string_view where);
// With signed costs the safe action has a `margin`; with positive costs it has `safe`.
void margin_or_safe(SpecReader& read, bool positive);

}  // namespace rein
