// ModelWatch: numbers of a model for the live page and /metrics that are no part of its state:
// latencies, rates, the last decisions. Nothing depends on them, and they begin anew with each
// start. One thread uses it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rein/engine.h"
#include "serve/last_decisions.h"

namespace rein::serve {

// Durations of the last one to two minutes, in buckets that are 9 % wide.
class Latency {
 public:
  void add(double seconds, std::int64_t now);
  // In milliseconds, the upper end of the bucket; 0 if there is none.
  double quantile(double share) const;
  std::int64_t count() const;  // in the window
  std::int64_t total() const { return total_; }
  double total_seconds() const { return seconds_; }
  // How many durations since the start were at most each of kLimits, in seconds, for /metrics.
  static constexpr std::array<double, 9> kLimits = {0.0005, 0.001, 0.002, 0.005, 0.01,
                                                    0.025,  0.05,  0.1,   1.0};
  const std::array<std::int64_t, 9>& at_most() const { return at_most_; }

 private:
  static constexpr int kBuckets = 256;
  using Counts = std::array<std::int64_t, kBuckets>;
  Counts current_{}, before_{};
  std::int64_t minute_ = 0;
  std::int64_t total_ = 0;
  double seconds_ = 0.0;
  std::array<std::int64_t, 9> at_most_{};
};

// Events per second over the last ten seconds.
class Rate {
 public:
  void add(std::int64_t now, std::int64_t count = 1);
  double per_second(std::int64_t now) const;

 private:
  static constexpr std::int64_t kSeconds = 10;
  std::array<std::int64_t, kSeconds> counts_{};
  std::array<std::int64_t, kSeconds> seconds_{};
};

// One of the last decisions.
struct Seen {
  std::uint64_t id = 0;
  std::int64_t at = 0;
  std::int32_t action = 0, best = 0;  // ids
  double probability = 0.0;
  Costs prices;
  std::vector<std::int32_t> ids;
  std::vector<double> estimates;  // 1 + costs rows, one number per action
  std::vector<std::pair<std::string, std::string>> scopes;
  std::string_view reason;
  double reward = kMissing;
  Costs costs;
  std::string_view state = "open";
};

// How snapshots went since the start.
struct SnapshotWatch {
  std::int64_t failures = 0;
  int failed_in_row = 0;  // since the last that was written
  std::string why;        // the last failure; empty after a success
  double seconds = 0.0;   // seconds that the last snapshot took to make and write
  std::int64_t at = 0;    // when, in UTC seconds; 0: none since the start
};

// How archiving old entries went since the start (archive_job.h).
struct ArchiveWatch {
  std::int64_t failures = 0;
  int failed_in_row = 0;
  std::string why;  // the last failure; empty after a success
};

struct ModelWatch {
  static constexpr std::size_t kSeen = 20;

  Latency decide, outcome, commit;
  Rate decisions, outcomes;
  SnapshotWatch snapshots;
  ArchiveWatch archive;
  std::array<Seen, kSeen> seen;  // a ring
  LastDecisions last;            // more of them, without estimates
  std::int64_t decided = 0;      // since the start; the newest is at (decided - 1) % kSeen
  std::int64_t refused = 0;      // answers with a status of 400 or more
  std::int64_t refused_decisions = 0;
  std::int64_t refused_budget = 0;
  bool told_gave_way = false;  // the log says once per start that decisions give way

  Seen& next() { return seen[static_cast<std::size_t>(decided++) % kSeen]; }
  Seen* find(std::uint64_t id);
  // The prices of the last decision; empty before the first decision.
  Costs prices() const {
    return decided > 0 ? seen[static_cast<std::size_t>(decided - 1) % kSeen].prices : Costs();
  }
};

}  // namespace rein::serve
