#include "offpolicy/shards.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "offpolicy/at.h"

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

namespace {

constexpr std::size_t kWaitingDoubles = std::size_t{1} << 26;  // 512 MiB

// Sums that are ready before their turn.
class Turns {
 public:
  Turns(const ShardWork& work, int ahead) : work_(work), ahead_(ahead) {}

  // Waits until few enough sums wait. False if another shard stopped.
  bool enter(int shard) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || shard < merged_ + ahead_; });
    return !stopped_;
  }
  void leave(int shard, std::vector<double>&& sums) {
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
  const int ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::vector<double>> waiting_;
  int merged_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::int64_t shards_of(std::int64_t rows) { return (rows + kShardRows - 1) / kShardRows; }

ShardRange fixed_shard(std::int64_t rows, std::int64_t shard) {
  return {shard * kShardRows, std::min(rows, (shard + 1) * kShardRows)};
}

OfflineRows some_rows(const OfflineRows& rows, const ShardRange& range) {
  const auto part = [&](auto column, std::int64_t per_row) {
    if (column.empty()) return column;
    return column.subspan(at(range.first * per_row), at((range.last - range.first) * per_row));
  };
  OfflineRows out = rows;
  out.rows = range.last - range.first;
  out.played = part(rows.played, 1);
  out.propensity = part(rows.propensity, 1);
  out.outcomes = part(rows.outcomes, rows.heads);
  out.context = part(rows.context, rows.features);
  out.offered = part(rows.offered, rows.actions);
  out.weights = part(rows.weights, 1);
  out.unit = part(rows.unit, 1);
  return out;
}

bool sum_shards(std::int64_t rows, const ShardWork& work) {
  const std::size_t most = kWaitingDoubles / std::max<std::size_t>(work.size, 1);
  const int ahead = static_cast<int>(std::clamp<std::size_t>(most, 1, 2 * at(work.threads)));
  Turns turns(work, ahead);
  run_shards(static_cast<int>(shards_of(rows)), work.threads, [&](int shard) {
    try {
      if (!turns.enter(shard)) return false;
      if (work.go_on && !work.go_on()) {
        turns.stop();
        return false;
      }
      turns.leave(shard, work.sums_of(fixed_shard(rows, shard)));
    } catch (...) {
      turns.stop();  // nobody waits for a shard that failed
      throw;
    }
    return true;
  });
  return !turns.stopped();
}

void add_sums(std::vector<double>& total, std::vector<double>&& next) {
  if (total.empty()) {
    total = std::move(next);
    return;
  }
  for (std::size_t i = 0; i < next.size(); ++i) total[i] += next[i];
}

}  // namespace rein
