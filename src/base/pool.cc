#include "base/pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace rein {
namespace {

struct Shared {
  std::int64_t jobs;
  const std::function<bool(std::int64_t)>& job;
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::int64_t thrown_by = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr thrown;
};

void work(Shared& shared) {
  while (!shared.stop) {
    const std::int64_t index = shared.next++;
    if (index >= shared.jobs) return;
    try {
      if (!shared.job(index)) shared.stop = true;
    } catch (...) {
      shared.stop = true;
      const std::lock_guard lock(shared.mutex);
      if (index < shared.thrown_by) {
        shared.thrown_by = index;
        shared.thrown = std::current_exception();
      }
    }
  }
}

}  // namespace

void run_jobs(std::int64_t jobs, int threads, const std::function<bool(std::int64_t)>& job) {
  Shared shared{.jobs = jobs, .job = job};
  const std::int64_t helpers = std::min<std::int64_t>(threads, jobs) - 1;
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(std::max<std::int64_t>(helpers, 0)));
  for (std::int64_t i = 0; i < helpers; ++i) {
    try {
      others.emplace_back(work, std::ref(shared));
    } catch (const std::system_error&) {
      break;  // the system has no more threads; fewer threads do the same work
    }
  }
  work(shared);
  for (std::thread& other : others) other.join();
  if (shared.thrown) std::rethrow_exception(shared.thrown);
}

}  // namespace rein
