// A progress bar with rate and remaining time. Shown only on a terminal, not in a pipe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace rein::app {

class Progress {
 public:
  // What is counted, and how many make one of the rate.
  struct Unit {
    const char* name;
    double size;
  };
  static constexpr Unit kRounds{"rounds", 1.0};
  static constexpr Unit kBytes{"MB", 1e6};
  static constexpr Unit kShare{"", 1.0};  // has no rate

  explicit Progress(Unit unit = kRounds);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::int64_t done, std::int64_t all);

 private:
  Unit unit_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

// Returns what `work` returns, and shows a bar meanwhile. `report` is the option that receives
// progress.
template <class Work>
auto with_progress(std::function<void(std::int64_t, std::int64_t)>& report, const Work& work) {
  Progress progress;
  report = [&](std::int64_t done, std::int64_t all) { progress.show(done, all); };
  auto found = work();
  report = nullptr;  // the bar ends here
  return found;
}

}  // namespace rein::app
