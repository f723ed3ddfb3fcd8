// Pool: independent jobs on several threads. Which thread runs which job never matters: a job is a
// number, and its results go where that number says.
#pragma once

#include <cstdint>
#include <functional>

namespace rein {

// Runs job(0), ..., job(jobs - 1) on up to `threads` threads (the caller's is one of them), handing
// them out in order, and returns when all are done. A job that returns false stops the handing out;
// those already running go on to their end. What a job throws is thrown here: of several, what the
// job with the smallest number threw.
void run_jobs(std::int64_t jobs, int threads, const std::function<bool(std::int64_t)>& job);

}  // namespace rein
