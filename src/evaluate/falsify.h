// What is held against what in the hunt for a false bound.
#pragma once

#include <vector>

#include "evaluate/falsify_case.h"
#include "rein/verify.h"

namespace rein {

// Every figure of the run that has a printed bound, with it. Empty where none is printed. Errors
// above what the oracle's own U lets them be are a call too, although no bound is printed then; of a
// U that was given nobody promised anything.
std::vector<Call> calls_of(const FalsifyCase& of, const Totals& totals);

}  // namespace rein
