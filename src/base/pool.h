// Pool: runs independent jobs on several threads. A job is a number, and its results are stored by
// that number, so it does not matter which thread runs it.
#pragma once

#include <cstdint>
#include <functional>

namespace rein {

// Runs job(0), ..., job(jobs - 1) on up to `threads` threads, including the caller's. Jobs start in
// order; the call returns when all are done. If a job returns false, no further job starts; running
// jobs finish. An exception in a job is thrown again by run_jobs(). If several jobs throw, the
// exception of the job with the smallest number is thrown.
void run_jobs(std::int64_t jobs, int threads, const std::function<bool(std::int64_t)>& job);

}  // namespace rein
