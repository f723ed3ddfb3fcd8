// Shared: an engine that several Python threads may call. One call at a time holds the engine. The
// others wait without the interpreter's lock, so that the holder can take that lock.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "bind.h"
#include "rein/engine.h"

namespace rein::bind {

int forks();  // number of forks of this process and its ancestors

class Shared {
 public:
  explicit Shared(Engine engine) : engine_(std::move(engine)) {}

  std::atomic<bool> warned = false;  // that a cost was above its range

  // Holds the engine during the lifetime of this object.
  class Hold {
   public:
    explicit Hold(Shared& shared) : shared_(shared) {
      if (!shared.mutex_.try_lock()) {
        if (shared.forks_ != forks()) {
          throw Failure(
              "agent: another thread was using it when this process was forked, and that thread is "
              "not here; accepted: fork while nobody uses it, or send it by pickle");
        }
        if (shared.holder_ == std::this_thread::get_id()) {
          throw Failure(
              "agent: it was called from inside its own oracle; accepted: calls from outside");
        }
        const nb::gil_scoped_release unlock;
        shared.mutex_.lock();
      }
      shared.holder_ = std::this_thread::get_id();
      shared.forks_ = forks();
    }
    Hold(const Hold&) = delete;
    ~Hold() {
      shared_.holder_ = std::thread::id();
      shared_.mutex_.unlock();
    }
    Engine* operator->() { return &shared_.engine_; }
    Engine& operator*() { return shared_.engine_; }

   private:
    Shared& shared_;
  };

 private:
  Engine engine_;
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;
  std::atomic<int> forks_ = 0;  // at the last call
};

// A decision that owns its numbers.
struct Decision {
  Decision(const Engine::Decision& made, int heads);

  std::uint64_t id;
  int action;
  std::int32_t action_id;
  double probability;
  int fitting;
  int holdout;  // as in DecisionBatch
  Costs prices;
  std::size_t actions;
  std::size_t heads;
  std::vector<double> numbers;  // probabilities, estimates head by head, widths

  // For pickle: id, action, action_id, probability, fitting, holdout, prices, numbers.
  using Plain = std::tuple<std::uint64_t, int, std::int32_t, double, int, int, std::vector<double>,
                           std::vector<double>>;
  explicit Decision(const Plain& plain);
  Plain plain() const;

  const double* probabilities() const { return numbers.data(); }
  const double* estimates() const { return numbers.data() + actions; }
  const double* widths() const { return numbers.data() + actions * (1 + heads); }
};

void bind_decision(nb::module_& module);  // decision.cc

}  // namespace rein::bind
