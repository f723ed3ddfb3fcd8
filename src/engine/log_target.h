// What an engine would do in the rows of a log, as it is now: nothing is decided, learned or changed.
#pragma once

#include <vector>

#include "rein/engine.h"
#include "rein/log.h"

namespace rein {

// Probabilities, rows x `actions`, by the log's ids of actions. Actions of a row that the engine does not
// have get 0. Refused: columns of the engine's context that the log does not have, actions with features,
// and a row in which the engine has no action.
Result<std::vector<double>> log_target(const Engine& engine, const Log& log, int actions);

}  // namespace rein
