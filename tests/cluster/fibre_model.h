// Fibre: a function that can stop in its middle and be resumed, so that code that blocks can run in a simulation.
// It has a stack of its own, and runs in the thread that resumes it: a simulation is the same every time, and
// does not wait for other threads. Under ASan and TSan, which do not follow stacks that change, it has a thread
// of its own, of which one runs at a time.
#pragma once

#include <functional>
#include <memory>

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
  // Stops until the next resume(). To be called within it, and not while an exception is handled.
  void stop();

 private:
  struct Stack;
  void run();

  std::function<void()> body_;
  bool ended_ = false;
  std::unique_ptr<Stack> stack_;
};

}  // namespace rein::cluster
