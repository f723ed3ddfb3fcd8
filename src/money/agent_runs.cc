#include "money/agent_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "money/saved_micros.h"
#include "rein/bytes.h"

namespace rein {
namespace {

std::size_t at(int cost) { return static_cast<std::size_t>(cost); }

}  // namespace

template <class Each>
void AgentRuns::up(std::uint64_t number, Each each) {
  while (number != 0) {
    const auto found = runs_.find(number);
    if (found == runs_.end()) return;
    number = found->second.parent;
    each(found->second);
  }
}

const AgentRuns::Run* AgentRuns::find(std::uint64_t number) const {
  const auto found = runs_.find(number);
  return found == runs_.end() ? nullptr : &found->second;
}

Result<> AgentRuns::check_open(std::uint64_t parent) const {
  if (open_runs() >= kMaxOpenRuns) {
    return Error{fmt::format("runs: {} are open; accepted: at most {}. Close some, or let them expire sooner",
                             open_runs(), kMaxOpenRuns),
                 Reason::kFull, "runs"};
  }
  if (parent == 0) return {};
  const Run* around = find(parent);
  if (around == nullptr || !around->open()) {
    return Error{"parent: this run is closed; accepted: an open run", Reason::kExpired, "parent"};
  }
  if (around->depth < kMaxRunDepth) return {};
  return Error::of("parent", fmt::format("parent: found {} runs inside each other; accepted: at most {}",
                                         around->depth + 1, kMaxRunDepth));
}

std::uint64_t AgentRuns::open(std::uint64_t parent, const Micros& limit, std::int64_t now,
                              std::int64_t lasts) {
  const std::uint64_t number = next_++;
  Run run{.number = number, .parent = parent, .opened = now, .lasts = lasts, .limit = limit};
  if (parent != 0) {
    Run& around = runs_.at(parent);
    run.depth = around.depth + 1;
    run.lasts = std::min(lasts, around.ends() - now);
    around.inside.push_back(number);
  }
  due_.emplace(run.ends(), number);
  runs_.emplace(number, std::move(run));
  return number;
}

void AgentRuns::close(std::uint64_t number, std::int64_t now, bool expired) {
  Run& run = runs_.at(number);
  for (const std::uint64_t inside : std::vector<std::uint64_t>(run.inside)) {
    const Run* still = find(inside);  // null: forgotten since the loop began
    if (still != nullptr && still->open()) close(inside, now, expired);
  }
  due_.erase({run.ends(), number});
  run.closed = now;
  run.expired = expired;
  rest(number);
}

void AgentRuns::tick(std::int64_t now) {
  while (!due_.empty() && due_.begin()->first <= now) close(due_.begin()->second, now, true);
}

void AgentRuns::set_back(std::int64_t now) {
  due_.clear();
  for (auto& [number, run] : runs_) {
    run.opened = std::min(run.opened, now);
    run.closed = std::min(run.closed, now);
    if (run.open()) due_.emplace(run.ends(), number);
  }
}

Micros AgentRuns::left(std::uint64_t number) const {
  Micros left;
  left.fill(kNoLimit);
  for (const Run* run = find(number); run != nullptr; run = find(run->parent)) {
    for (int i = 0; i < costs_; ++i) {
      if (run->limit[at(i)] == kNoLimit) continue;
      const MicroSum free = MicroSum{run->limit[at(i)]} - run->spent[at(i)] - run->held[at(i)];
      left[at(i)] = std::min(left[at(i)], as_micro(std::clamp<MicroSum>(free, 0, kMaxMicro - 1)));
    }
  }
  return left;
}

void AgentRuns::hold(RunClaim& claim) {
  claim.waiting = all_costs();
  claim.provisional = 0;
  up(claim.run, [&](Run& run) {
    run.decisions += 1;
    run.waiting += claim.waiting != 0 ? 1 : 0;
    for (int i = 0; i < costs_; ++i) run.held[at(i)] += claim.holds[at(i)];
  });
}

void AgentRuns::settle(RunClaim& claim, int cost) {
  const bool was_waiting = claim.waiting != 0;
  claim.waiting &= ~bit(cost);
  if (!was_waiting || claim.waiting != 0) return;
  up(claim.run, [](Run& run) { run.waiting -= 1; });
  rest(claim.run);
}

void AgentRuns::pay(RunClaim& claim, int cost, MicroSum amount) {
  const Micro hold = claim.holds[at(cost)];
  const bool waits = (claim.waiting & bit(cost)) != 0;
  const bool booked = (claim.provisional & bit(cost)) != 0;
  up(claim.run, [&](Run& run) {
    if (waits) run.held[at(cost)] -= hold;
    run.spent[at(cost)] += amount - (booked ? hold : 0);
  });
  claim.provisional &= ~bit(cost);
  settle(claim, cost);
}

void AgentRuns::give_up(RunClaim& claim, int cost) {
  if ((claim.waiting & bit(cost)) == 0) return;
  up(claim.run, [&](Run& run) { run.held[at(cost)] -= claim.holds[at(cost)]; });
  settle(claim, cost);
}

void AgentRuns::expire(RunClaim& claim, int cost) {
  if ((claim.waiting & bit(cost)) == 0) return;
  up(claim.run, [&](Run& run) {
    run.held[at(cost)] -= claim.holds[at(cost)];
    run.spent[at(cost)] += claim.holds[at(cost)];
  });
  claim.provisional |= bit(cost);
  settle(claim, cost);
}

// The runs around it may be at rest with it, or once it is forgotten.
void AgentRuns::rest(std::uint64_t number) {
  up(number, [&](Run& run) {
    if (at_rest(run)) rest_.push_back(run.number);
  });
  while (rest_.size() > kKeptRuns) {
    const std::uint64_t oldest = rest_.front();
    rest_.pop_front();
    const std::uint64_t parent = runs_.at(oldest).parent;
    runs_.erase(oldest);
    if (parent == 0) continue;
    Run& around = runs_.at(parent);
    std::erase(around.inside, oldest);
    if (at_rest(around)) rest_.push_back(parent);
  }
}

void AgentRuns::save(ByteWriter& out) const {
  out.tag("runs");
  out.u64(next_);
  out.i64(static_cast<std::int64_t>(runs_.size()));
  for (const auto& [number, run] : runs_) {
    out.u64(number);
    out.u64(run.parent);
    for (std::int64_t each : {run.opened, run.lasts, run.closed, std::int64_t{run.expired}, run.decisions}) {
      out.i64(each);
    }
    for (int i = 0; i < costs_; ++i) {
      out.i64(run.limit[at(i)]);
      put(out, run.spent[at(i)]);
    }
  }
  out.i64(static_cast<std::int64_t>(rest_.size()));
  for (const std::uint64_t number : rest_) out.u64(number);
}

Result<> AgentRuns::load(ByteReader& in) {
  AgentRuns read(costs_);
  in.tag("runs");
  read.next_ = in.u64();
  const std::int64_t count = in.count();
  std::uint64_t previous = 0;
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    const std::uint64_t number = in.u64();
    Run run{.number = number, .parent = in.u64()};
    run.opened = in.count();
    run.lasts = in.between("ticks of a run", 0, kMaxRunTicks);
    run.closed = in.between("when a run closed", -1, INT64_MAX);
    run.expired = in.between("whether a run expired", 0, 1) == 1;
    run.decisions = in.count();
    for (int i = 0; i < costs_; ++i) {
      run.limit[at(i)] = in.between("a cap of a run", 0, INT64_MAX);
      run.spent[at(i)] = get(in);
    }
    if (!in.ok()) break;
    const auto parent = read.runs_.find(run.parent);
    Run* around = parent == read.runs_.end() ? nullptr : &parent->second;
    if (number <= previous || number >= read.next_ || (run.parent != 0 && around == nullptr)) {
      in.fail("saved state: a run that cannot be");
      break;
    }
    previous = number;
    if (around != nullptr) {
      around->inside.push_back(number);
      run.depth = around->depth + 1;
    }
    if (run.open()) read.due_.emplace(run.ends(), number);
    read.runs_.emplace(number, std::move(run));
  }
  const std::int64_t resting = in.between("runs at rest", 0, static_cast<std::int64_t>(kKeptRuns));
  for (std::int64_t n = 0; n < resting && in.ok(); ++n) {
    read.rest_.push_back(in.u64());
    if (!read.runs_.contains(read.rest_.back())) in.fail("saved state: a run at rest that is not there");
  }
  if (auto ok = in.status(); !ok) return ok;
  *this = std::move(read);
  return {};
}

Result<> AgentRuns::restore_hold(const RunClaim& claim) {
  if (find(claim.run) == nullptr) return Error{"saved state: an open decision of a run that is not there"};
  up(claim.run, [&](Run& run) {
    run.waiting += claim.waiting != 0 ? 1 : 0;
    for (int i = 0; i < costs_; ++i) {
      if ((claim.waiting & bit(i)) != 0) run.held[at(i)] += claim.holds[at(i)];
    }
  });
  return {};
}

}  // namespace rein
