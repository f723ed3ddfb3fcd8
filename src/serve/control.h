// Control: a thread for rare work that takes long, such as making a model, and for work at regular
// beats.
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
  // Calls `beat` about once per `every`. The system runs threads of a lower niceness first.
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
