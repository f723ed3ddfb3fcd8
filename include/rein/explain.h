// Explanations: why an action has the estimates that it has.
//
//     auto why = rein::explain(engine, d.id).value();          // of an open decision
//     why[0].heads[0].terms[0]                                 // what adds most to the reward
//
// Per head (the reward, then every cost) the estimate is a sum:
//
//     estimate = linear + rest + prior + calibration,     linear = sum of weight x value
//
// Estimates, weights and widths are the present ones: outcomes that were learned after the decision
// count. Probability, score and prices are those of the decision. Calls allocate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/engine.h"
#include "rein/explanation.h"

namespace rein {

// Which actions are explained: the chosen action, all actions that the policy could choose, or the
// actions with these ids.
struct ExplainOptions {
  bool all = false;
  std::span<const std::int32_t> action_ids = {};
};

// Explains actions of an open decision. Answers kUnknown or kExpired if the decision is not open.
Result<std::vector<Explanation>> explain(const Engine& engine, std::uint64_t id,
                                         const ExplainOptions& options = {});
// The same from the record of a decision that was made, open or not.
Result<std::vector<Explanation>> explain(const Engine& engine, const DecideRecord& record,
                                         const ExplainOptions& options = {});
// Explains the decision that look() would return, with the same options: scopes, and limits of the request.
Result<std::vector<Explanation>> explain(const Engine& engine, const Round& round,
                                         const ExplainOptions& options = {},
                                         const DecideOptions& decide = {});

}  // namespace rein
