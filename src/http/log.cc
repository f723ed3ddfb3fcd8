#include "http/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <mutex>
#include <utility>

namespace rein::serve {
namespace {

// The standard error, as far as its reader takes it. A pipe whose reader is slow or has ended must not
// hold up those who answer requests, so nothing is written to it that would wait.
class ErrorOutput {
 public:
  void write(Json::Object line) {
    const std::lock_guard lock(mutex_);
    if (left_out_ > 0) line.emplace_back("lines_left_out", left_out_);
    // One call per line, so that lines do not mix.
    const std::string text = fmt::format("{}{}\n", cut_ ? "\n" : "", Json(std::move(line)).str());
    const std::size_t sent = send(text);
    left_out_ = sent == text.size() ? 0 : left_out_ + 1;
    if (sent > 0) cut_ = sent < text.size();
  }

 private:
  // A pipe that is ready takes this many bytes at once. Files and terminals take any number.
  static constexpr std::size_t kAtOnce = PIPE_BUF;

  static std::size_t send(std::string_view text) {
    std::size_t sent = 0;
    while (sent < text.size()) {
      pollfd output{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
      if (::poll(&output, 1, 0) != 1 || (output.revents & POLLOUT) == 0) break;
      const std::string_view piece = text.substr(sent, kAtOnce);
      const ssize_t n = ::write(STDERR_FILENO, piece.data(), piece.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    return sent;
  }

  std::mutex mutex_;
  std::int64_t left_out_ = 0;  // lines since the last that was written whole
  bool cut_ = false;           // the last line ended in its middle
};

}  // namespace

void log(std::string_view level, std::string_view event, const Json::Object& more) {
  const auto now = std::chrono::system_clock::now();
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now - second).count();
  Json::Object line;
  line.emplace_back("at",
                    fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                                fmt::gmtime(std::chrono::system_clock::to_time_t(second)), millis));
  line.emplace_back("level", level);
  line.emplace_back("event", event);
  line.insert(line.end(), more.begin(), more.end());
  static ErrorOutput output;
  output.write(std::move(line));
}

}  // namespace rein::serve
