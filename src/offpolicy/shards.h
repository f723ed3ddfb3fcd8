// Shards: a fixed cut of the rows, worked on by any number of threads or machines. Every shard has
// sums of its own, and the caller merges them in the order of their numbers. So the number of
// workers changes no bit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rein/offpolicy.h"

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

// Shards of a fixed number of rows, for sums that may be made on other machines.
inline constexpr std::int64_t kShardRows = 16'384;
std::int64_t shards_of(std::int64_t rows);
ShardRange fixed_shard(std::int64_t rows, std::int64_t shard);
// The rows of a range, as a log of their own.
OfflineRows some_rows(const OfflineRows& rows, const ShardRange& range);

struct ShardWork {
  int threads = 1;
  std::size_t size = 0;         // of the sums of a shard; large sums use fewer threads
  std::function<bool()> go_on;  // asked before each shard; false stops
  std::function<std::vector<double>(const ShardRange&)> sums_of;  // on any thread
  std::function<void(std::vector<double>&&)> merge;  // in the order of the shards, one at a time
};
// False if it was stopped.
bool sum_shards(std::int64_t rows, const ShardWork& work);

// Adds the sums of the next shard. REQUIRES the same size, or an empty total.
void add_sums(std::vector<double>& total, std::vector<double>&& next);

}  // namespace rein
