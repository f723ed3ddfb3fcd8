// The one kernel that registers of 512 bits are used for, compiled with REIN_LEVEL = v4.
#include "base/kernels.h"
#include "base/kernels_solve.h"

namespace rein::REIN_LEVEL {

extern Solve* const kSolve;
constinit Solve* const kSolve = solve;

}  // namespace rein::REIN_LEVEL
