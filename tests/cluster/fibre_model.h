// Fibre: a function that can stop in its middle and be resumed, so that code that blocks can run in a
// simulation. It has a thread of its own, but only one thread runs at a time: the one that resume() waits
// for. So a simulation is the same every time.
#pragma once

#include <functional>
#include <semaphore>
#include <thread>

namespace rein::cluster {

class Fibre {
 public:
  explicit Fibre(std::function<void()> body);
  ~Fibre();  // REQUIRES that it has ended
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // Runs it until it stops or ends. Not to be called within a fibre.
  void resume();
  bool ended() const { return ended_; }
  // Stops until the next resume(). To be called within it.
  void stop();

 private:
  std::function<void()> body_;
  bool ended_ = false;
  std::binary_semaphore go_{0}, stopped_{0};
  std::thread thread_;
};

}  // namespace rein::cluster
