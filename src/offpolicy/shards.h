// Shards: a fixed cut of the rows, worked on by any number of threads. Every shard has sums of its
// own, and the caller merges them in the order of their numbers. So the number of threads changes
// no bit.
#pragma once

#include <cstdint>
#include <functional>

namespace rein {

inline constexpr int kShards = 64;

struct ShardRange {
  std::int64_t first = 0;
  std::int64_t last = 0;  // one past the end
};
// Depends on the number of rows only.
ShardRange shard_range(std::int64_t rows, int shard);

// Runs job(0), ..., job(jobs - 1) on up to `threads` threads. If a job returns false, no further
// job starts. An exception of a job is thrown again here.
void run_shards(int jobs, int threads, const std::function<bool(int)>& job);

}  // namespace rein
