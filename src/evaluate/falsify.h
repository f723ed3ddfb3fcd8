// What is held against what in the hunt for a false bound.
#pragma once

#include <vector>

#include "evaluate/falsify_case.h"
#include "rein/verify.h"

namespace rein {

// Every figure of the run that has a printed bound, with it. Empty where the theorem does not speak
// of the run: a round was infeasible, or the oracle's error passed a U that was given. An error
// above a U of the oracle's own is a call by itself, and then the only one.
std::vector<Call> calls_of(const FalsifyCase& of, const Totals& totals);

}  // namespace rein
