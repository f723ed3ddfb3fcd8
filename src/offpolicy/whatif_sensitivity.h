// What the points of a curve would earn and spend if propensities are wrong.
#pragma once

#include <functional>

#include "offpolicy/whatif_task.h"
#include "rein/whatif.h"

namespace rein {

// Adds the sensitivity bands of out.lambda to the points that have a band. REQUIRES propensities, and
// the task of all passes. False if `go_on` returned false, which stops the work.
bool add_sensitivity(const OfflineRows& rows, const WhatifTask& task, int threads,
                     const std::function<bool()>& go_on, Whatif& out);

}  // namespace rein
