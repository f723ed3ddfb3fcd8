#include "serve/control.h"

#include <sys/resource.h>

#include <utility>

namespace rein::serve {

Control::Control(std::chrono::milliseconds every, std::function<void()> beat, int niceness)
    : every_(every), beat_(std::move(beat)), niceness_(niceness), thread_([this] { loop(); }) {}

Control::~Control() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Control::run(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void Control::loop() {
  // In Linux the priority is that of this thread only. If the call is refused, the thread runs at
  // the usual priority.
  if (niceness_ > 0) static_cast<void>(::setpriority(PRIO_PROCESS, 0, niceness_));
  auto next = std::chrono::steady_clock::now() + every_;
  std::vector<std::function<void()>> jobs;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait_until(lock, next, [&] { return ending_ || !jobs_.empty(); });
      jobs.swap(jobs_);
      if (ending_ && jobs.empty()) return;
    }
    for (auto& job : jobs) job();
    jobs.clear();
    if (std::chrono::steady_clock::now() < next) continue;
    beat_();
    next = std::chrono::steady_clock::now() + every_;
  }
}

}  // namespace rein::serve
