// Shared: an engine that several Python threads may call. One call at a time holds the engine. The
// others wait without the interpreter's lock, so that the holder can take that lock.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "bind.h"
#include "rein/engine.h"
#include "schema.h"

namespace rein::bind {

int forks();  // number of forks of this process and its ancestors

class Shared {
 public:
  explicit Shared(Engine engine) : engine_(std::move(engine)) {
    if (engine_.schema() != nullptr) reader.emplace(*engine_.schema());
  }

  // Reads rows by name, if the engine has a schema. Its statistics are not used.
  std::optional<NamedSchema> reader;

  // The last decisions whose outcome came, for explain(); at most explained_most, the oldest first.
  std::vector<DecideRecord> explained;
  std::size_t explained_most = 0, explained_next = 0;

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
              "agent: it was called from inside its own oracle or progress function; accepted: "
              "calls from outside");
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

  // Holds the engine to change it. After a fork the same engine is in two processes, and both would
  // give out the same ids: only the process that made it may change it.
  class Change : public Hold {
   public:
    explicit Change(Shared& shared) : Hold(shared) {
      if (shared.made_ == forks()) return;
      throw Failure(
          "agent: this process was forked after the agent was made, and two processes must not "
          "give out the same ids; accepted: an agent that was made here, or sent here by pickle");
    }
  };

 private:
  Engine engine_;
  const int made_ = forks();
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;
  std::atomic<int> forks_ = 0;  // at the last call
};

// A decision that owns its numbers.
struct Decision {
  Decision(const Engine::Decision& made, const Engine& engine);

  std::uint64_t id;
  std::int32_t action;  // its id
  int place;
  double probability;
  int fitting;
  int holdout;  // as in DecisionBatch
  Costs prices;
  std::string name;       // of the action, if it has one
  bool numbered = false;  // the name is a number
  std::size_t actions;
  std::size_t heads;
  std::vector<double> numbers;  // probabilities, estimates head by head, widths

  // For pickle: id, action, place, probability, fitting, holdout, prices, numbers, name, numbered.
  using Plain = std::tuple<std::uint64_t, std::int32_t, int, double, int, int, std::vector<double>,
                           std::vector<double>, std::string, bool>;
  explicit Decision(const Plain& plain);
  Plain plain() const;

  const double* probabilities() const { return numbers.data(); }
  const double* estimates() const { return numbers.data() + actions; }
  const double* widths() const { return numbers.data() + actions * (1 + heads); }
};

// What callers see of an action: its name, or its id if it has none.
nb::object label_of(std::int32_t id, std::string_view name, bool numbered);

using Numbers = std::vector<double>;
Costs costs_of(const Numbers& numbers);
// Warns, once per engine, that costs were above their range.
void warn_of_clipping(Shared& shared, std::int64_t clipped);
nb::list budgets_of(const std::vector<BudgetState>& all);

void bind_decision(nb::module_& module);      // decision.cc
void bind_batch(nb::class_<Shared>& engine);  // engine_batch.cc
void bind_state(nb::class_<Shared>& engine);  // engine_state.cc

}  // namespace rein::bind
