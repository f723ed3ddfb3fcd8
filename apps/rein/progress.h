// A progress bar with rate and time left, on a terminal only; nothing when piped.
#pragma once

#include <chrono>
#include <cstdint>

namespace rein::app {

class Progress {
 public:
  Progress();
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::int64_t done, std::int64_t all);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace rein::app
