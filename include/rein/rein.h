// Everything that a program needs to make decisions, in one include. The headers for experiments
// are separate:
//
//     rein/evaluate.h     run policies on worlds, and measure them
//     rein/compare.h      compare policies, with grids and a file to resume from
//     rein/sweep.h        the same, spread over processes or machines
//     rein/verify.h       measure the rates of the theorem
//     rein/report.h       results as JSON and as an HTML page
//
// So are batches (rein/batch.h). Pieces of your own are in rein/own.h, which rein/policy.h includes.
#pragma once

#include "rein/catalog.h"
#include "rein/engine.h"
#include "rein/policy.h"
#include "rein/world.h"
