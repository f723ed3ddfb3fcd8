#include "serve/request_queue.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "serve/verbs.h"

namespace rein::serve {

const char* RequestQueue::add(WaitingRequest& request) {
  const std::size_t bytes = request.bytes();
  if (comes_first(request.ask)) {
    if (first_bytes_ + bytes > limits_.most_outcome_bytes) {
      return "too many outcomes wait: their memory is full; accepted: fewer per second";
    }
    first_bytes_ += bytes;
    first_.push_back(std::move(request));
    return nullptr;
  }
  // A single request is never too much work.
  const double work = seconds_per_byte_ * static_cast<double>(first_bytes_ + others_bytes_);
  if (others_.size() >= limits_.most_waiting ||
      (!others_.empty() && work > limits_.most_work_seconds)) {
    return "too many requests wait; accepted: fewer per second";
  }
  others_bytes_ += bytes;
  others_.push_back(std::move(request));
  return nullptr;
}

void RequestQueue::take_first(std::vector<WaitingRequest>& out) {
  std::move(first_.begin(), first_.end(), std::back_inserter(out));
  first_.clear();
  first_bytes_ = 0;
}

void RequestQueue::take_others(std::vector<WaitingRequest>& out, std::size_t most, double seconds) {
  double work = 0.0;
  for (; most > 0 && !others_.empty() && work <= seconds; --most) {
    const std::size_t bytes = others_.front().bytes();
    work += seconds_per_byte_ * static_cast<double>(bytes);
    others_bytes_ -= bytes;
    out.push_back(std::move(others_.front()));
    others_.pop_front();
  }
}

void RequestQueue::take_all(std::vector<WaitingRequest>& out) {
  take_first(out);
  take_others(out, others_.size(), std::numeric_limits<double>::infinity());
}

void RequestQueue::worked(std::size_t bytes, double seconds) {
  constexpr double kWeight = 0.1;  // of the latest group: about ten groups are remembered
  const double now = seconds / static_cast<double>(bytes);
  seconds_per_byte_ += (seconds_per_byte_ == 0.0 ? 1.0 : kWeight) * (now - seconds_per_byte_);
}

}  // namespace rein::serve
