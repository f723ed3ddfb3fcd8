// Load: sends decisions and their outcomes to a service at a constant rate, and measures how long
// each answer takes.
//
// The loop is open: request n is due at a fixed time, whether earlier ones were answered or not,
// and its latency counts from then. So a stalled service cannot hide its latency by slowing the
// sender. Each request goes alone over a connection that stays open; nothing is pipelined or
// batched.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rein/result.h"

namespace rein::serve {

struct LoadOptions {
  std::string address = "127.0.0.1";
  int port = 8080;
  std::string token;
  std::string model = "load";
  double rate = 1000.0;  // decisions per second, and as many outcomes
  double seconds = 10.0;
  double warm_up = 1.0;         // seconds at the start that are not measured
  double outcome_after = 0.05;  // seconds between an answer and its outcome
  int connections = 64;
  int actions = 4;
  int context = 16;
  std::string ledger;  // a file that gets a line per acknowledgement; empty: none
  std::uint64_t seed = 1;
};

// Latencies in milliseconds.
class LatencyHistogram {
 public:
  void add(double seconds);
  double quantile(double share) const;  // within 1 %
  double max() const { return 1e3 * max_; }
  std::int64_t count() const { return count_; }
  // How many took at most 1, 2, 4, 8, ... microseconds and longer than the number before.
  std::vector<std::int64_t> doublings() const;

 private:
  static constexpr int kPerDoubling = 64;
  std::vector<std::int64_t> counts_ = std::vector<std::int64_t>(64 * kPerDoubling);
  std::int64_t count_ = 0;
  double max_ = 0.0;
};

struct LoadReport {
  LatencyHistogram decide, outcome;
  std::map<int, std::int64_t> statuses;  // of all measured answers
  std::map<int, std::int64_t> outcome_statuses;  // of those to outcomes
  std::int64_t due = 0;                  // requests that were due, answered or not
  std::int64_t good = 0;                 // of these, answered with 200
  std::int64_t broken = 0;               // connections that broke
  double seconds = 0.0;                  // measured
  double cpu_seconds = 0.0;              // of the sender
};

// Makes the model, if it is not there, and sends. kFailed if the service cannot be reached.
Result<LoadReport> run_load(const LoadOptions& options,
                            const std::function<void(double seconds)>& progress = {});

}  // namespace rein::serve
