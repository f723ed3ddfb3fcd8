#include "serve/watch.h"

#include <algorithm>
#include <cmath>

namespace rein::serve {
namespace {

// Bucket i ends at 1 microsecond times 2^(i / 8).
int bucket_of(double seconds) {
  const double micros = std::max(seconds * 1e6, 1.0);
  return std::min(255, static_cast<int>(std::ceil(8.0 * std::log2(micros))));
}

}  // namespace

void Latency::add(double seconds, std::int64_t now) {
  if (now / 60 != minute_) {
    before_ = now / 60 == minute_ + 1 ? current_ : Counts{};
    current_ = {};
    minute_ = now / 60;
  }
  ++current_[static_cast<std::size_t>(bucket_of(seconds))];
  ++total_;
  seconds_ += seconds;
  for (std::size_t i = 0; i < kLimits.size(); ++i) at_most_[i] += seconds <= kLimits[i] ? 1 : 0;
}

std::int64_t Latency::count() const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) sum += current_[i] + before_[i];
  return sum;
}

double Latency::quantile(double share) const {
  const std::int64_t all = count();
  if (all == 0) return 0.0;
  const auto rank = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(all)));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    sum += current_[i] + before_[i];
    if (sum >= rank) return 1e-3 * std::exp2(static_cast<double>(i) / 8.0);
  }
  return 0.0;
}

void Rate::add(std::int64_t now, std::int64_t count) {
  const auto at = static_cast<std::size_t>(now % kSeconds);
  if (seconds_[at] != now) counts_[at] = 0;
  seconds_[at] = now;
  counts_[at] += count;
}

double Rate::per_second(std::int64_t now) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (seconds_[i] > now - kSeconds && seconds_[i] <= now) sum += counts_[i];
  }
  return static_cast<double>(sum) / static_cast<double>(kSeconds);
}

Seen* ModelWatch::find(std::uint64_t id) {
  const auto found = std::ranges::find(seen, id, &Seen::id);
  return found == seen.end() || id == 0 ? nullptr : &*found;
}

}  // namespace rein::serve
