#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

namespace rein::app {
namespace {

constexpr int kWidth = 30;
constexpr std::chrono::milliseconds kEvery{100};

// 12 s, 3 min 20 s, 2 h 5 min
std::string in_words(double seconds) {
  const auto s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

}  // namespace

Progress::Progress(Unit unit)
    : unit_(unit),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void Progress::show(std::int64_t done, std::int64_t all) {
  if (!terminal_ || all <= 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kEvery && done < all) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double share = static_cast<double>(done) / static_cast<double>(all);
  const double rate = seconds > 0.0 ? static_cast<double>(done) / seconds : 0.0;
  const int filled = static_cast<int>(share * kWidth);
  const std::string speed =
      unit_.name[0] == '\0' ? "" : fmt::format("{:.3g} {}/s  ", rate / unit_.size, unit_.name);
  const std::string line = fmt::format(
      "\r[{}{}] {:3.0f} %  {}{} left\033[K", std::string(static_cast<std::size_t>(filled), '='),
      std::string(static_cast<std::size_t>(kWidth - filled), ' '), 100.0 * share, speed,
      rate > 0.0 ? in_words(static_cast<double>(all - done) / rate) : std::string("?"));
  std::fputs(line.c_str(), stderr);  // a closed terminal is no reason to stop
  std::fflush(stderr);
}

}  // namespace rein::app
