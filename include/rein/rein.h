// Everything that a program which decides needs, in one include. Experiments have headers of their
// own, which this one leaves out:
//
//     rein/evaluate.h     run policies on worlds, and measure them
//     rein/compare.h      side by side, with grids and a file to go on from; rein/sweep.h elsewhere
//     rein/verify.h       the theorem's rates, measured
//     rein/report.h       any of these as JSON and as a page
//
// and so have batches (rein/batch.h) and oracles and worlds of your own (rein/own_oracle.h,
// rein/own_world.h).
#pragma once

#include "rein/catalog.h"
#include "rein/engine.h"
#include "rein/policy.h"
#include "rein/world.h"
