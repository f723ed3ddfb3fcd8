#include "offpolicy/shards.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace rein {

ShardRange shard_range(std::int64_t rows, int shard) {
  return {rows * shard / kShards, rows * (shard + 1) / kShards};
}

void run_shards(int jobs, int threads, const std::function<bool(int)>& job) {
  std::atomic<int> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto work = [&] {
    for (int index = next++; index < jobs && !stop; index = next++) {
      try {
        if (!job(index)) stop = true;
      } catch (...) {
        stop = true;
        const std::lock_guard lock(mutex);
        if (!thrown) thrown = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < std::min(threads, jobs); ++i) {
    try {
      others.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // the system has no more threads; fewer threads do the same work
    }
  }
  work();
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace rein
