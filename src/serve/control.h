// Control: a thread for what is rare and takes long, such as making a model, and for what comes back
// at every beat.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rein::serve {

class Control {
 public:
  // `beat` is called about every so often. Of other threads, those of a lower niceness go first.
  Control(std::chrono::milliseconds every, std::function<void()> beat, int niceness = 0);
  ~Control();  // finishes what waits
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  void run(std::function<void()> job);

 private:
  void loop();

  std::chrono::milliseconds every_;
  std::function<void()> beat_;
  int niceness_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::function<void()>> jobs_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace rein::serve
