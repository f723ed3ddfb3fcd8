#include "serve/trusted_clock.h"

#include <time.h>

namespace rein::serve {

std::int64_t steady_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec;
}

void TrustedClock::believe(std::int64_t wall, std::int64_t steady) {
  believed_ = before_ = {wall, steady};
  doubted_.reset();
}

std::int64_t TrustedClock::read(std::int64_t wall, std::int64_t steady) {
  if (!believed_) {
    const bool down = last_ && wall >= *last_ && wall - *last_ <= kDowntimeSeconds;
    believed_ = before_ = Reading{!last_ || down ? wall : *last_, steady};
  }
  const std::int64_t expected = believed_->at(steady);
  if (close(wall, expected) && close(wall, before_->at(steady))) {
    believed_ = {wall, steady};
    if (steady - before_->steady >= jump_) before_ = believed_;
    doubted_.reset();
    return wall;
  }
  if (!doubted_ || !close(wall, doubted_->at(steady))) doubted_ = {wall, steady};
  if (steady - doubted_->steady < jump_) return expected;
  believe(wall, steady);
  return wall;
}

}  // namespace rein::serve
