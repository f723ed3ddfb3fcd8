// Runs of agents: budgets for one task (rein/agent_run.h, money/agent_runs.h).
#include <fmt/format.h>

#include <algorithm>

#include "base/came.h"
#include "base/size.h"
#include "engine/heart.h"

namespace rein {
namespace {

Error not_here(std::uint64_t id, std::string_view why, Reason reason) {
  return {fmt::format("run {:016x}: {}", id, why), reason, "run"};
}

}  // namespace

Result<std::uint64_t> Engine::Heart::number_of_run(std::uint64_t id) const {
  const std::uint64_t number = run_cipher.number_of(id);
  if (number == 0 || number >= runs.next()) {
    return not_here(id, "no run ever had this id", Reason::kUnknown);
  }
  if (runs.find(number) != nullptr) return number;
  return not_here(id, "it was closed so long ago that it is forgotten", Reason::kExpired);
}

Result<> Engine::Heart::check_run(std::uint64_t id) const {
  const auto number = number_of_run(id);
  if (!number) return number.failure();
  const AgentRuns::Run& run = *runs.find(number.value());
  if (run.open()) return {};
  return not_here(id, fmt::format("it {} at {}; accepted: an open run",
                                  run.expired ? "expired" : "was closed", run.closed),
                  Reason::kExpired);
}

Result<std::uint64_t> Engine::Heart::open_run(const NewAgentRun& about) {
  const std::uint64_t id = run_cipher.id_of(runs.next());
  const AgentRunRecord record{.run = id,
                              .parent = about.parent,
                              .expire_after = about.expire_after,
                              .amounts = about.amounts};
  if (auto done = fold(record); !done) return done.failure();
  return id;
}

Result<> Engine::Heart::fold(const AgentRunRecord& record) {
  change = Change::kNothing;
  if (!record.opened) {
    const auto number = number_of_run(record.run);
    if (!number) return number.failure();
    if (!runs.find(number.value())->open()) return {};
    runs.close(number.value(), now);
  } else {
    if (record.run != run_cipher.id_of(runs.next())) {
      return Error{"record: not the next run here", Reason::kSequence};
    }
    if (record.expire_after < 1 || record.expire_after > kMaxRunTicks) {
      return Error::of("expire_after", fmt::format("expire_after: found {}; accepted: 1 to {} ticks",
                                                   record.expire_after, kMaxRunTicks));
    }
    std::uint64_t parent = 0;
    if (record.parent != 0) {
      const auto number = number_of_run(record.parent);
      if (!number) return number.failure().about("parent");
      parent = number.value();
    }
    if (auto ok = runs.check_open(parent); !ok) return ok;
    Micros limit;
    limit.fill(kNoLimit);
    bool capped = false;
    for (int i = 0; i < std::min(record.amounts.size(), billed.size()); ++i) {
      if (is_missing(record.amounts[i])) continue;
      const auto coins = micros_down(record.amounts[i], budgets.coins(i));
      if (!coins || coins.value() < 0) {
        return Error::of("amounts", fmt::format("amounts: found {}; accepted: 0 to {}", record.amounts[i],
                                                static_cast<double>(kMaxMicro) / budgets.coins(i)));
      }
      limit[as_size(i)] = coins.value();
      capped = true;
    }
    if (record.amounts.size() != billed.size() || !capped) {
      return Error::of("amounts", fmt::format("amounts: found {} numbers; accepted: one per cost, of which one "
                                              "at least is not missing",
                                              record.amounts.size()));
    }
    runs.open(parent, limit, now, record.expire_after);
  }
  last_run = record;
  change = Change::kAgentRun;
  return {};
}

Micros Engine::Heart::left_in_run(std::uint64_t id) const {
  return runs.left(id == 0 ? 0 : run_cipher.number_of(id));
}

RunClaim Engine::Heart::run_claim_of(const DecideRecord& decided) const {
  RunClaim claim{.run = run_cipher.number_of(decided.run)};
  const Round round = decided.round.view();
  const Play play{.place = roster.place(round.id(decided.decision.action)), .largest = decided.largest.span(),
                  .limits = {}};
  for (int i = 0; i < billed.size(); ++i) {
    if (declared(play, i)) claim.holds[as_size(i)] = std::max<Micro>(0, hold_of(play, i));
  }
  return claim;
}

void Engine::Heart::hold_in_run(std::int32_t slot) {
  RunClaim& claim = open.run_claim(slot);
  claim.run = 0;
  if (open[slot].record.run == 0) return;
  claim = run_claim_of(open[slot].record);
  runs.hold(claim);
}

Result<AgentRunState> Engine::Heart::agent_run(std::uint64_t id) const {
  const auto number = number_of_run(id);
  if (!number) return number.failure();
  const AgentRuns::Run& run = *runs.find(number.value());
  AgentRunState state{.id = id,
                      .parent = run.parent == 0 ? 0 : run_cipher.id_of(run.parent),
                      .open = run.open(),
                      .expired = run.expired,
                      .opened = run.opened,
                      .ends = run.ends(),
                      .closed = run.closed,
                      .decisions = run.decisions,
                      .waiting = run.waiting,
                      .costs = {}};
  for (int i = 0; i < billed.size(); ++i) {
    // As for budgets: in micro-units, so that spent + held <= limit stays true.
    const double coins = budgets.coins(i);
    const MicroSum spent = whole_micros_up(run.spent[as_size(i)], coins);
    const bool capped = run.limit[as_size(i)] != kNoLimit;
    state.costs.push_back(
        {.limit = capped ? as_micro(whole_micros_up(run.limit[as_size(i)], coins)) : -1,
         .spent = as_micro(spent),
         .held = as_micro(whole_micros_up(run.spent[as_size(i)] + run.held[as_size(i)], coins) - spent)});
  }
  return state;
}

std::vector<AgentRunState> Engine::Heart::agent_runs(bool only_open, std::int64_t first,
                                                     std::int64_t most) const {
  std::vector<AgentRunState> found;
  for (const auto& [number, run] : runs.all()) {
    if (only_open && !run.open()) continue;
    if (first-- > 0) continue;
    if (static_cast<std::int64_t>(found.size()) >= most) break;
    found.push_back(agent_run(run_cipher.id_of(number)).value());
  }
  return found;
}

void Engine::Heart::write_runs(ByteWriter& out) const {
  runs.save(out);
  out.u64(expired_run_claims.size());
  for (const auto& [number, claim] : expired_run_claims) {
    out.u64(number);
    out.u64(claim.run);
    for (int i = 0; i < billed.size(); ++i) out.i64(claim.holds[as_size(i)]);
    out.u64(claim.provisional);
  }
}

Result<> Engine::Heart::read_runs(ByteReader& in) {
  if (auto ok = runs.load(in); !ok) return ok;
  for (std::int32_t slot = open.oldest(); slot >= 0; slot = open[slot].newer) {
    if (open[slot].record.run == 0) continue;
    RunClaim claim = run_claim_of(open[slot].record);
    claim.waiting = (all_parts() & ~open[slot].came) >> 1;  // the reward is the first part
    if (auto ok = runs.restore_hold(claim); !ok) return ok;
    open.run_claim(slot) = claim;
  }
  const std::int64_t count = in.between("late bills of runs", 0, settled.size());
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    const std::uint64_t number = in.u64();
    RunClaim claim{.run = in.u64()};
    for (int i = 0; i < billed.size(); ++i) claim.holds[as_size(i)] = in.between("hold", 0, kMaxMicro);
    claim.provisional = static_cast<std::uint32_t>(in.between("late bills", 1, all_parts() >> 1));
    if (in.ok() && (!settled.find(number) || claim.run == 0 || claim.run >= runs.next())) {
      in.fail(fmt::format("saved state: a late bill of decision {} in a run", number));
    }
    expired_run_claims[number] = claim;
  }
  return in.status();
}

}  // namespace rein
