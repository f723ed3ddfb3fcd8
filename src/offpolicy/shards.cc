#include "offpolicy/shards.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "base/pool.h"

namespace rein {
namespace {

// Sums of shards that wait for their turn take at most this much memory: 512 MiB, as the largest
// model (kMaxModelDoubles).
constexpr std::size_t kWaitingDoubles = std::size_t{1} << 26;

// Sums that are ready before their turn.
class Turns {
 public:
  Turns(const ShardWork& work, std::int64_t ahead) : work_(work), ahead_(ahead) {}

  // Waits until few enough sums wait. False if another shard stopped.
  bool enter(std::int64_t shard) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || shard < merged_ + ahead_; });
    return !stopped_;
  }
  void leave(std::int64_t shard, std::vector<double>&& sums) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(shard, std::move(sums));
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == merged_;
         it = waiting_.erase(it)) {
      work_.merge(std::move(it->second));
      ++merged_;
    }
    changed_.notify_all();
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  bool stopped() const { return stopped_; }

 private:
  const ShardWork& work_;
  const std::int64_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, std::vector<double>> waiting_;
  std::int64_t merged_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::int64_t shards_of(std::int64_t rows) { return (rows + kShardRows - 1) / kShardRows; }

RowRange shard_rows(std::int64_t rows, std::int64_t shard) {
  return {shard * kShardRows, std::min(rows, (shard + 1) * kShardRows)};
}

void visit_shards(std::int64_t rows, int threads,
                  const std::function<void(const RowRange&)>& visit) {
  run_jobs(shards_of(rows), threads, [&](std::int64_t shard) {
    visit(shard_rows(rows, shard));
    return true;
  });
}

bool sum_shards(std::int64_t rows, const ShardWork& work) {
  const std::size_t fitting = kWaitingDoubles / std::max<std::size_t>(work.size, 1);
  const auto ahead =
      static_cast<std::int64_t>(std::clamp<std::size_t>(fitting, 1, 2 * at(work.threads)));
  Turns turns(work, ahead);
  run_jobs(shards_of(rows), work.threads, [&](std::int64_t shard) {
    try {
      if (!turns.enter(shard)) return false;
      if (work.go_on && !work.go_on()) {
        turns.stop();
        return false;
      }
      turns.leave(shard, work.sums_of(shard_rows(rows, shard)));
    } catch (...) {
      turns.stop();  // nobody waits for a shard that failed
      throw;
    }
    return true;
  });
  return !turns.stopped();
}

std::vector<double> total_of_shards(
    std::int64_t rows, int threads, std::size_t size,
    const std::function<void(const RowRange&, std::span<double>)>& add) {
  std::vector<double> total;
  const auto sums_of = [&](const RowRange& range) {
    std::vector<double> sums(size, 0.0);
    add(range, sums);
    return sums;
  };
  sum_shards(rows, {.threads = threads, .size = size, .sums_of = sums_of,
                    .merge = [&](std::vector<double>&& next) { add_sums(total, std::move(next)); }});
  return total;
}

void add_sums(std::vector<double>& total, std::vector<double>&& next) {
  if (total.empty()) {
    total = std::move(next);
    return;
  }
  for (std::size_t i = 0; i < next.size(); ++i) total[i] += next[i];
}

}  // namespace rein
