// Explanations: why an action has the estimates that it has.
//
//     auto why = rein::explain(engine, d.id).value();          // of an open decision
//     why[0].heads[0].terms[0]                                 // what adds most to the reward
//
// Per head (the reward, then every cost) the estimate is a sum:
//
//     estimate = linear + rest + prior + calibration,     linear = sum of weight x value
//
// Estimates, weights and widths are those of now: what was learned since a decision was made counts.
// Probability, score and prices are those of the decision. Calls allocate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/engine.h"
#include "rein/explanation.h"

namespace rein {

// Explains the chosen action of an open decision, or the actions with these ids. Answers kUnknown or
// kExpired for a decision that is not open.
Result<std::vector<Explanation>> explain(const Engine& engine, std::uint64_t id,
                                         std::span<const std::int32_t> action_ids = {});
// The same of the decision that look() would return.
Result<std::vector<Explanation>> explain(const Engine& engine, const Round& round,
                                         std::span<const std::int32_t> action_ids = {},
                                         const DecideOptions& options = {});

}  // namespace rein
