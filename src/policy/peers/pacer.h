// pacer: LinUCB with a price that follows the budget per round, in the style of ParetoBandit
// (Taberner-Miller, arXiv 2604.00136).
//
//     a_t = argmax  f^(a) + alpha sqrt(w(a)) - lam_scale sum_i lam_i c^_i(a)          ridge
//     lam_i <- clip(lam_i + lr (ema_i / b - 1), 0, cap)
//
// No guarantee is proved. The paper forgets old data, normalises costs by their logarithm and
// handles models that come and go; this is its price alone: docs/policy/pacer.md.
#pragma once

#include "rein/policy.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_pacer(const Spec& spec, const Shape& shape, const Own& own);

}  // namespace rein
