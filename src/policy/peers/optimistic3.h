// optimistic3: triple-optimistic learning (Guo, Zu, Liu, ICML 2025), for finitely many contexts
// whose law is known. In zero-threshold form (g = c - b), with bounds of Confidence (the
// radius is ours):
//
//     pi_t(x, .)  ~  pi_{t-1}(x, .) exp((f_ucb(x, .) - sum_i Q_i g_lcb,i(x, .)) / alpha)
//     Q_i        <-  max(0, Q_i - E<pi_{t-1}, g_{t-1,i}> + 2 E<pi_t, g_{t,i}>)      E over contexts
//
// Every context has a row of its own, and all rows move in every round: one predict per context.
// Contexts are told apart by their bits (context, features, ids) and remembered as they come, up to
// `classes` of them. A context that comes for the first time starts where the heuristic below would
// have it.
//
// Heuristic, for worlds with more contexts than that: past estimates are replaced by present ones,
//
//     pi_t(x, .)  ~  exp((t f_ucb(x, .) - sum_i (sum_{s<=t} Q_{s,i}) g_lcb,i(x, .)) / alpha)
//
// which is the same thing where estimates no longer move, and E is the mean over the rounds so far,
// from the 100th on a moving average (at the present round alone its noise, reflected at 0, would
// pile up in Q). It needs no memory, and no guarantee of the paper's covers it.
// docs/policy/optimistic3.md.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_optimistic3(const Spec& spec, const Shape& shape,
                                                 const Own& own);

}  // namespace rein
