// table: a real problem, from a file with one row a round and the outcome of every action in it.
//
//     x_age, x_income, r0, r1, c0, c1           context, rewards and costs of two actions
//     0.31,  0.55,     0,  1,  0,  0.2
//
// A policy sees the columns of the action that it takes; regret and comparators see the row.
// Nothing is known of true means: means() gives the outcomes, and the shape has no truth.
//
//   order=shuffled  the rows in an order that the seed draws (Fisher and Yates); the table is in
//                   memory once, for all seeds and threads
//   order=file      the rows as they stand, read as they are needed; the file is read through once
//                   before, so that a wrong cell is an error here and not in the middle of a run
//
// A table ends: next() past its last row throws Failure, unless repeat=1 goes round again, in a new
// order where the order is drawn.
#pragma once

#include "rein/world.h"

namespace rein {

// rounds = 0 means as many as the table has; more are refused, unless repeat=1.
Result<std::unique_ptr<World>> make_table(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds);

}  // namespace rein
