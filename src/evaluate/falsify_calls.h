// Which figures are compared with which bounds in the search for a false bound.
#pragma once

#include <vector>

#include "evaluate/falsify_case.h"
#include "rein/falsify.h"

namespace rein {

// Every figure of the run that has a printed bound, with that bound. Empty if none is printed.
// Errors above the oracle's own U are included, although no bound is printed then. A U given by the
// user guarantees nothing and is not included.
std::vector<Call> calls_of(const FalsifyCase& of, const Totals& totals);

}  // namespace rein
