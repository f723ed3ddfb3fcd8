#include "http/refused_lines.h"

#include <string>
#include <utility>

#include "http/log.h"

namespace rein::serve {

void RefusedLines::operator()(const HttpRefused& refused) const {
  std::int64_t left_out = 0;
  {
    const std::lock_guard lock(count_->mutex);
    const auto now = std::chrono::steady_clock::now();
    if (now - count_->second >= std::chrono::seconds(1)) {
      count_->second = now;
      count_->lines = 0;
    }
    if (count_->lines == kLinesPerSecond) {
      ++count_->left_out;
      return;
    }
    ++count_->lines;
    left_out = std::exchange(count_->left_out, 0);
  }
  Json::Object line = {{"method", std::string(refused.method)},
                       {"path", std::string(refused.path)},
                       {"status", refused.status},
                       {"code", std::string(refused.code)},
                       {"from", refused.from}};
  if (left_out > 0) line.emplace_back("left_out", left_out);
  log("warning", "refused", line);
}

}  // namespace rein::serve
