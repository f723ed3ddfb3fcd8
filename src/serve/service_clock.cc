#include "serve/service_clock.h"

#include <algorithm>
#include <utility>

namespace rein::serve {

ServiceClock::ServiceClock(Seconds wall, Seconds steady, std::int64_t jump_seconds)
    : wall_(std::move(wall)), steady_(std::move(steady)), clock_(jump_seconds) {
  if (!steady_) steady_ = steady_seconds;
}

void ServiceClock::begin_after(std::int64_t last) {
  const std::lock_guard lock(mutex_);
  last_ = std::max(last_, last);
  clock_.begin_after(last_);
}

std::int64_t ServiceClock::now() {
  const std::lock_guard lock(mutex_);
  return clock_.read(wall_(), steady_());
}

void ServiceClock::confirm() {
  const std::lock_guard lock(mutex_);
  clock_.believe(wall_(), steady_());
}

}  // namespace rein::serve
