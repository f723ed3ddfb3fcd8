// RequestQueue: the requests that wait for the writer of one model. Any thread adds, the writer takes.
//
// Requests that end a decision (outcome, cancel, activate) come before all others, and are refused
// only when their own memory is full: a refused outcome leaves its decision open, and an open
// decision holds money and memory. All other requests are refused early, when the waiting work
// would take too long, or when too many requests wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/server.h"
#include "serve/model.h"

namespace rein::serve {

struct QueueLimits {
  std::size_t most_waiting = 1024;  // requests besides outcomes; more are refused (429, code rate)
  // Seconds of work that may wait, as measured from the latest requests: callers give up after
  // about this time. Time of the disk does not count, because a group shares one commit.
  double most_work_seconds = 0.25;
  std::size_t most_outcome_bytes = std::size_t{64} << 20U;  // of outcomes, cancels and activates
};

// A request that waits.
struct WaitingRequest {
  Ask ask;
  std::shared_ptr<HttpReply> reply;
  std::chrono::steady_clock::time_point since;

  // The bytes of memory that a request takes, from which its work is estimated too. The constant is
  // about the size of a request without a body.
  std::size_t bytes() const { return 1024 + ask.body.size(); }
};

// Not thread-safe: the writer's mutex guards it.
class RequestQueue {
 public:
  explicit RequestQueue(QueueLimits limits) : limits_(limits) {}

  // Refuses by returning why; then the request is untouched.
  const char* add(WaitingRequest& request);
  bool empty() const { return first_.empty() && others_.empty(); }
  // Moves all requests that come first to the end of `out`.
  void take_first(std::vector<WaitingRequest>& out);
  // Moves the oldest others to the end of `out`: at most so many, and none after those whose work is
  // estimated to take so long.
  void take_others(std::vector<WaitingRequest>& out, std::size_t most, double seconds);
  void take_all(std::vector<WaitingRequest>& out);
  // The writer says how long requests of so many bytes took, without their commit.
  void worked(std::size_t bytes, double seconds);

  std::size_t outcomes() const { return first_.size(); }
  std::size_t others() const { return others_.size(); }

 private:
  QueueLimits limits_;
  std::deque<WaitingRequest> first_, others_;
  std::size_t first_bytes_ = 0, others_bytes_ = 0;
  double seconds_per_byte_ = 0.0;  // a moving average
};

}  // namespace rein::serve
