// AgentRuns: budgets inside budgets, one per run of an agent and of its sub-agents.
//
//     open(parent, ...)      a run, inside another one or none
//     hold(claim)            when a decision of the run is made
//     pay(claim, cost, sum)  when the bill of one cost comes, in time or late
//     close(number)          no more decisions; what was not spent was never taken from anybody
//
// A run is a cap and no prepayment: nothing of the budgets is set aside for it. What a decision holds and what
// it is billed counts in its run and in every run around that one, so spent + held <= limit holds for each of
// them as for a hard budget. A run closes when somebody closes it, when the run around it closes, or when the
// logical clock reaches its end. Decisions that are still open then keep counting in it.
//
// Closed runs without open decisions are remembered up to kKeptRuns, oldest first out, so that their totals can
// be read. All amounts are coins (money/micros.h). A fold of calls: no clock, no order of addresses.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "money/micros.h"
#include "rein/agent_run.h"
#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

// What a decision holds in its run and in those around it.
struct RunClaim {
  std::uint64_t run = 0;  // its number; 0: none
  Micros holds{};         // at least 0
  std::uint32_t waiting = 0;      // one bit per cost whose bill has not come
  std::uint32_t provisional = 0;  // one bit per cost whose hold counts as spent until its bill comes
};

class AgentRuns {
 public:
  static constexpr std::size_t kKeptRuns = 1024;

  struct Run {
    std::uint64_t number = 0;
    std::uint64_t parent = 0;  // 0: none
    int depth = 1;
    std::int64_t opened = 0, lasts = 0;
    std::int64_t closed = -1;   // when it was; -1: it is open
    bool expired = false;       // whether the clock closed it
    std::int64_t decisions = 0;  // made in it and in the runs inside it
    std::int64_t waiting = 0;    // those with a bill that has not come
    Micros limit{};              // kNoLimit: this cost has no cap
    MicroSums spent{}, held{};
    std::vector<std::uint64_t> inside;  // runs right inside it that are remembered
    bool open() const { return closed < 0; }
    std::int64_t ends() const { return opened + lasts; }
  };

  AgentRuns() = default;
  explicit AgentRuns(int costs) : costs_(costs) {}

  bool any() const { return next_ > 1; }  // whether there ever was one
  std::uint64_t next() const { return next_; }  // the number of the run that is opened next
  std::int64_t open_runs() const { return static_cast<std::int64_t>(due_.size()); }
  const std::map<std::uint64_t, Run>& all() const { return runs_; }  // those remembered, by number
  const Run* find(std::uint64_t number) const;  // null: forgotten, or never opened
  // The first tick at which a run closes by itself; -1: none is open.
  std::int64_t next_end() const { return due_.empty() ? -1 : due_.begin()->first; }

  // Refuses kFull, and a parent that is not open or too deep.
  Result<> check_open(std::uint64_t parent) const;
  // REQUIRES check_open(). It ends with its parent at the latest.
  std::uint64_t open(std::uint64_t parent, const Micros& limit, std::int64_t now, std::int64_t lasts);
  // Closes the run and those inside it. REQUIRES that it is open.
  void close(std::uint64_t number, std::int64_t now, bool expired = false);
  void tick(std::int64_t now);      // closes those that end
  void set_back(std::int64_t now);  // the clock was: no run was opened later than this

  // How much of every cost is left in this run and in those around it; kNoLimit without a cap. REQUIRES a run
  // that is remembered.
  Micros left(std::uint64_t number) const;
  // REQUIRES that claim.run is open, and that claim.holds fits left(). Sets the rest of the claim.
  void hold(RunClaim& claim);
  // These do nothing for claims without a run, or whose run is forgotten.
  void pay(RunClaim& claim, int cost, MicroSum amount);
  void give_up(RunClaim& claim, int cost);
  void expire(RunClaim& claim, int cost);

  void save(ByteWriter& out) const;  // without what is held
  Result<> load(ByteReader& in);
  // The claim of an open decision, after load(). Refuses one whose run is not there.
  Result<> restore_hold(const RunClaim& claim);

 private:
  static std::uint32_t bit(int cost) { return std::uint32_t{1} << cost; }
  std::uint32_t all_costs() const { return (std::uint32_t{1} << costs_) - 1; }
  // Calls each(run) for the run and those around it.
  template <class Each>
  void up(std::uint64_t number, Each each);
  void settle(RunClaim& claim, int cost);
  void rest(std::uint64_t number);  // forgets the oldest, if this run and too many others are at rest
  static bool at_rest(const Run& run) { return !run.open() && run.waiting == 0 && run.inside.empty(); }

  int costs_ = 0;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Run> runs_;
  std::set<std::pair<std::int64_t, std::uint64_t>> due_;  // the open ones, by their end
  std::deque<std::uint64_t> rest_;  // closed runs that nothing waits for, oldest first
};

}  // namespace rein
