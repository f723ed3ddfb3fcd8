// Random unit vectors, for parameters and contexts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/rng.h"

namespace rein {

constexpr double kRootHalf = 0.70710678118654752;  // sqrt(1 / 2)

double inner_product(std::span<const double> a, std::span<const double> b);
// Makes x a unit vector (slightly shorter than 1, so that rounding never exceeds 1).
void make_unit(std::span<double> x);

// For parameters: a uniformly random direction.
std::vector<double> random_unit(Rng& rng, int d);
// A random unit vector that is perpendicular to the unit vector u; zeros in one dimension.
std::vector<double> random_unit_across(Rng& rng, std::span<const double> u);

// For contexts, where speed matters: the direction of a point drawn from the cube. Makes
// draws_of(x.size()) draws and allocates nothing.
void fill_direction(Rng& rng, std::span<double> x);
inline std::uint64_t draws_of(std::size_t size) { return (size + 1) / 2; }

}  // namespace rein
