// Lines of the log for requests that never reached the handler: a wrong token, a foreign Host, a
// body that is too large. Somebody who sends thousands per second must not fill the disk with them,
// so there are at most ten lines per second, and the next line says how many were left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>

#include "http/server.h"

namespace rein::serve {

class RefusedLines {
 public:
  static constexpr std::int64_t kLinesPerSecond = 10;

  void operator()(const HttpRefused& refused) const;

 private:
  struct Count {
    std::mutex mutex;
    std::chrono::steady_clock::time_point second{};  // when the lines began to be counted
    std::int64_t lines = 0;
    std::int64_t left_out = 0;
  };
  // a single count, shared by all copies
  std::shared_ptr<Count> count_ = std::make_shared<Count>();
};

}  // namespace rein::serve
