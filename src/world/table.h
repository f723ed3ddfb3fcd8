// table: a real problem from a file with one row per round, which has the outcome of every action.
//
//     x_age, x_income, r0, r1, c0, c1           context, rewards and costs of two actions
//     0.31,  0.55,     0,  1,  0,  0.2
//
// Context columns may be categories, text, booleans or numbers to standardise: schema= names their
// kinds, and rein/schema.h encodes them, row by row in the order of the rounds.
//
// A policy sees only the columns of the action that it takes. Regret and comparators use the whole
// row. The true means are unknown: means() returns the outcomes, and the shape has no truth.
//
//   order=shuffled  the rows in a random order drawn from the seed (Fisher and Yates); the table
//                   is in memory once, for all seeds and threads
//   order=file      the rows in file order, read when needed; the whole file is checked once at
//                   the start, so that a wrong cell is an error here and not during a run
//
// A table ends: next() after its last row throws Failure. With repeat=1 it starts again, in a new
// order if the order is random.
#pragma once

#include "rein/world.h"

namespace rein {

// rounds = 0 means all rows of the table. More than that is refused, unless repeat=1.
Result<std::unique_ptr<World>> make_table(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds);

}  // namespace rein
