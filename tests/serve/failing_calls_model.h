// Calls of the system that fail on demand: open (to write), write, fsync and rename. The linker puts
// them in the place of the real ones (--wrap), for everything in this test but shared libraries.
#pragma once

#include <cstdint>

namespace rein::serve {

// While it lives, files are not really synced, call number `nth` fails (0: none), and all later ones too if it is for good.
class FailingCalls {
 public:
  FailingCalls(std::int64_t nth, bool for_good);
  ~FailingCalls();
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;

  static std::int64_t made();
};

}  // namespace rein::serve
