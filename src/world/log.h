// log: a world made from a log of past decisions. Outcomes are not those that happened: a log has
// them for the played actions only. They are drawn around doubly robust estimates of their means
// (world/log_estimates.h), with the deviation that outcomes have in the log.
//
//   outcomes with two values in the log   one of the two, by chance, with the exact mean
//   other outcomes                        truncated normal around the mean, inside the range
//   noise=none                            the mean itself
//
// means() are the estimates, so regret and benchmarks are about the estimates too. The shape has no
// truth: nobody knows the function that made them.
//
// A row comes once, in an order drawn from the seed, or as in the file. Incomplete rows are left out.
#pragma once

#include "rein/world.h"

namespace rein {

// rounds = 0 means all rows. More than that is refused, unless repeat=1.
Result<std::unique_ptr<World>> make_log_world(const Spec& spec, std::uint64_t seed,
                                              std::int64_t rounds);

}  // namespace rein
