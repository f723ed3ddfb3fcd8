// The only kernel that uses 512-bit registers, compiled with REIN_LEVEL = v4.
#include "base/kernels.h"
#include "base/kernels_solve.h"

namespace rein::REIN_LEVEL {

extern Solve* const kSolve;
constinit Solve* const kSolve = solve;

}  // namespace rein::REIN_LEVEL
