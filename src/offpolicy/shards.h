// Shards: the one cut of the rows of a log, kShardRows rows each, worked on by any number of threads or
// machines. Every shard has sums of its own, and the caller merges them in the order of their numbers.
// So the number of workers changes no bit.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "offpolicy/rows.h"

namespace rein {

inline constexpr std::int64_t kShardRows = 16'384;

std::int64_t shards_of(std::int64_t rows);
RowRange shard_rows(std::int64_t rows, std::int64_t shard);

// Calls visit(range) for every shard, on up to `threads` threads.
void visit_shards(std::int64_t rows, int threads, const std::function<void(const RowRange&)>& visit);

struct ShardWork {
  int threads = 1;
  std::size_t size = 0;         // of the sums of a shard; large sums use fewer threads
  std::function<bool()> go_on;  // asked before each shard; false stops
  std::function<std::vector<double>(const RowRange&)> sums_of;  // on any thread
  std::function<void(std::vector<double>&&)> merge;  // in the order of the shards, one at a time
};
// False if it was stopped.
bool sum_shards(std::int64_t rows, const ShardWork& work);
// `size` numbers, each the sum over all shards: add(range, sums) adds what the rows of a shard have.
std::vector<double> total_of_shards(
    std::int64_t rows, int threads, std::size_t size,
    const std::function<void(const RowRange&, std::span<double>)>& add);

// Adds the sums of the next shard. REQUIRES the same size, or an empty total.
void add_sums(std::vector<double>& total, std::vector<double>&& next);

}  // namespace rein
