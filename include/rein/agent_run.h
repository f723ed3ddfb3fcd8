// Runs of an agent: a budget for one task, with sub-runs inside it (docs/runs.md).
//
//     const std::uint64_t task = engine.open_run({.amounts = {0.50}, .expire_after = 600}).value();
//     engine.decide(round, {.run = task});
//     engine.close_run(task).check();
#pragma once

#include <cstdint>
#include <vector>

#include "rein/costs.h"

namespace rein {

inline constexpr std::int64_t kMaxOpenRuns = 10'000;  // of one engine
inline constexpr int kMaxRunDepth = 8;                // runs inside each other
inline constexpr std::int64_t kMaxRunTicks = std::int64_t{1} << 40;  // that a run may last

struct NewAgentRun {
  Costs amounts;  // the cap of each cost, in its unit; kMissing: no cap. One at least
  std::int64_t expire_after = 86'400;  // ticks after which it closes by itself
  std::uint64_t parent = 0;            // the run that it is inside; 0: none
};

struct AgentRunState {
  // Money of one cost, in micro-units.
  struct Money {
    std::int64_t limit = -1;  // -1: no cap
    std::int64_t spent = 0;
    std::int64_t held = 0;
  };
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  // 0: none
  bool open = true;
  bool expired = false;      // closed by the clock
  std::int64_t opened = 0;   // ticks
  std::int64_t ends = 0;
  std::int64_t closed = -1;
  std::int64_t decisions = 0;  // made in it and in the runs inside it
  std::int64_t waiting = 0;    // those with a bill that has not come
  std::vector<Money> costs;    // one per cost of the shape
};

}  // namespace rein
