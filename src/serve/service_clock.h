// ServiceClock: the trusted time of the service as a whole (trusted_clock.h). A model that is made
// while the wall clock is wrong begins with it: its first windows would open in the wrong year, and
// stay open until then. Models that are there have trusted clocks of their own, because their journals
// end at different times.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>

#include "serve/trusted_clock.h"

namespace rein::serve {

// Any thread.
class ServiceClock {
 public:
  using Seconds = std::function<std::int64_t()>;
  ServiceClock(Seconds wall, Seconds steady, std::int64_t jump_seconds);

  // A model was opened whose journal ends at this time. Before the first now().
  void begin_after(std::int64_t last);
  // The believed time. Called often, so that a jump can be seen to last.
  std::int64_t now();
  // Somebody said that the wall clock is right.
  void confirm();

 private:
  Seconds wall_, steady_;
  std::mutex mutex_;
  TrustedClock clock_;
  std::int64_t last_ = 0;
};

}  // namespace rein::serve
