// Everything that a program needs to make decisions, in one include. The headers for experiments
// are separate:
//
//     rein/run.h          run policies on worlds, and measure them (rein/totals.h)
//     rein/compare.h      compare policies, with grids and a file to resume from
//     rein/sweep.h        the same, spread over processes or machines
//     rein/bounds.h       what the theorem guarantees
//     rein/certified.h    what a run shows of its own regret
//     rein/verify.h       measure the rates of the theorem
//     rein/falsify.h      search for a run above its bound
//     rein/report.h       results as JSON, as CSV and as an HTML page
//     rein/log.h          logs of past decisions, read from files and written to them
//     rein/train.h        an engine that learns a log before its first decision
//
// Batches (rein/batch.h) and names (rein/schema.h) are separate too. Pieces of your own
// (rein/own.h) are included.
#pragma once

#include "rein/catalog.h"
#include "rein/engine.h"
#include "rein/explain.h"
#include "rein/policy.h"
#include "rein/world.h"
