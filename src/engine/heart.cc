#include "engine/heart.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/check.h"
#include "base/math.h"
#include "base/own.h"
#include "base/size.h"
#include "base/units.h"
#include "engine/check_decision.h"
#include "engine/encoding.h"

namespace rein {
namespace {

constexpr double kShares = 0x1p32;  // shares per unit of a cost, in which reservations are counted

}  // namespace

Engine::Heart::Heart(Config made_from, std::unique_ptr<Policy> made_policy)
    : config(std::move(made_from)),
      config_bytes(encode(config)),
      policy(std::move(made_policy)),
      budget(policy->shape(), config.options),
      cipher(IdCipher::from(config.options.seed, config.options.secret)),
      ledger(budget.limits()),
      open(config.options.most_open),
      settled(config.options.remember),
      ids_ahead(cipher.ids_from(0)),
      scratch(*policy) {
  for (const CostShape& cost : policy->shape().costs) units.push_back(unit_of(cost.range));
}

Result<std::unique_ptr<Engine::Heart>> Engine::Heart::make(Config config) {
  try {
    return make_with_memory(std::move(config));
  } catch (const std::bad_alloc&) {
    return Error{
        "engine: there is not enough memory for it; accepted: fewer actions, features or numbers "
        "of the oracle, or a smaller remember"};
  }
}

Result<std::unique_ptr<Engine::Heart>> Engine::Heart::make_with_memory(Config config) {
  auto policy = make_policy(config.policy, config.shape, config.own);
  if (!policy) return policy.failure();
  // The policy's own shape may be narrower than the given one: a knapsack has no negative costs.
  if (auto ok = validate(policy.value()->shape(), config.options); !ok) return ok.failure();
  return std::make_unique<Heart>(std::move(config), std::move(policy).value());
}

Costs Engine::Heart::reserved_costs() const {
  Costs costs(static_cast<int>(units.size()));
  for (int i = 0; i < costs.size(); ++i) {
    costs[i] = static_cast<double>(reserved[as_size(i)]) / kShares * units[as_size(i)];
  }
  return costs;
}

void Engine::Heart::reserve(const DecideRecord& decided, std::int64_t sign) {
  const Estimates& said = decided.decision.estimates;
  for (int i = 0; i + 1 < said.heads(); ++i) {
    const double mean = said.mean(i + 1)[as_size(decided.decision.action)];
    const double part = mean > 0.0 ? std::min(mean / units[as_size(i)], 1.0) : 0.0;
    const double shares = part * kShares;
    const auto down = static_cast<std::int64_t>(shares);
    reserved[as_size(i)] += sign * (static_cast<double>(down) < shares ? down + 1 : down);
  }
}

Result<> Engine::Heart::find_places(const Round& round, std::vector<std::int32_t>& places) const {
  places.clear();
  if (!budget.active() || ledger.fits(budget.hold_of_any())) return {};
  if (auto fits = validate(policy->shape(), round); !fits) return fits;
  for (int a = 0; a < round.actions; ++a) {
    if (ledger.fits(budget.hold_of(round.id(a)))) places.push_back(a);
  }
  if (places.empty()) {
    const auto& safe = config.options.safe_action;
    return Error{
        fmt::format("hard budget: none of the {} actions fits what is left of it{}", round.actions,
                    safe ? fmt::format("; accepted: a round that offers the safe action, "
                                       "id {}, while that fits",
                                       *safe)
                         : "; a safe_action would be played here"),
        Reason::kBudget};
  }
  if (places.size() == as_size(round.actions)) places.clear();
  return {};
}

Result<> Engine::Heart::check_room() const {
  if (!open.full()) return {};
  return Error{fmt::format("engine: {} decisions are open; accepted: at most {} (most_open)",
                           open.size(), config.options.most_open),
               Reason::kFull};
}

std::uint64_t Engine::Heart::next_id() const {
  const std::uint64_t ahead = decided_count - ids_ahead_from;
  return ahead < ids_ahead.size() ? ids_ahead[ahead] : cipher.id_of(decided_count);
}

Result<> Engine::Heart::choose(const Round& round, Scratch& working, DecideRecord& out) const {
  if (auto room = check_room(); !room) return room;
  if (auto found = find_places(round, out.places); !found) return found;
  out.offered = round.actions;
  const bool all = out.places.empty();
  if (!all) out.round.copy(round, out.places);
  Rng rng(config.options.seed);
  rng.set_counter(draws);
  auto done = policy->decide(all ? round : out.round.view(), reserved_costs().span(), rng, working,
                             out.decision);
  if (!done) return done;
  if (auto sound = check_own(out.decision); !sound) return sound;
  if (all) out.round.copy(round);
  out.id = next_id();
  out.at = now;
  out.draws = rng.counter();
  return {};
}

Ticket Engine::Heart::ticket(const Round& round, const DecideRecord& decided, AllActions& room) {
  const Decision& d = decided.decision;
  Ticket ticket{.id = decided.id,
                .action = decided.offered_action(),
                .action_id = round.id(decided.offered_action()),
                .probability = d.probability,
                .fitting = decided.round.actions,
                .prices = d.prices,
                .probabilities = d.probabilities(),
                .estimates = &d.estimates};
  if (decided.places.empty()) return ticket;

  Estimates& estimates = room.estimates;
  room.probabilities.assign(as_size(round.actions), 0.0);
  estimates.prepare(d.estimates.heads(), round.actions);
  for (int h = 0; h < estimates.heads(); ++h) std::ranges::fill(estimates.mean(h), kNan);
  std::ranges::fill(estimates.width(), kNan);
  for (std::size_t a = 0; a < decided.places.size(); ++a) {
    const auto place = as_size(decided.places[a]);
    room.probabilities[place] = d.probabilities()[a];
    estimates.width()[place] = d.estimates.width()[a];
    for (int h = 0; h < estimates.heads(); ++h) estimates.mean(h)[place] = d.estimates.mean(h)[a];
  }
  ticket.probabilities = room.probabilities;
  ticket.estimates = &estimates;
  return ticket;
}

Result<Ticket> Engine::Heart::look(const Round& round, LookScratch& memory) const {
  auto done = choose(round, memory.scratch, memory.record);
  if (!done) return done.failure();
  return ticket(round, memory.record, memory.all_actions);
}

Result<Ticket> Engine::Heart::decide(const Round& round) {
  change = Change::kNothing;
  DecideRecord& draft = open.draft();
  if (auto done = choose(round, scratch, draft); !done) return done.failure();
  take_next();
  return ticket(round, draft, all_actions);
}

Result<> Engine::Heart::check_next(const DecideRecord& decided) const {
  if (auto room = check_room(); !room) return room;
  if (decided.id != next_id() || decided.at != now || decided.draws < draws) {
    return Error{fmt::format("record: not the next decision here, which is number {} at {} after "
                             "{} draws (from another engine, or out of order)",
                             decided_count, now, draws),
                 Reason::kSequence};
  }
  return check_decided(decided);
}

Result<> Engine::Heart::check_decided(const DecideRecord& decided) const {
  if (auto fits = validate(policy->shape(), decided.round.view()); !fits) return fits;
  if (auto fits = check_decision(policy->shape(), decided); !fits) return fits;
  if (budget.active()) {
    const std::int32_t id = decided.round.view().id(decided.decision.action);
    if (!ledger.fits(budget.hold_of(id))) {
      return Error{fmt::format("hard budget: action id {} could exceed it", id), Reason::kBudget};
    }
  }
  return {};
}

void Engine::Heart::open_up(std::uint64_t number) {
  open.add(number);
  const DecideRecord& decided = open[open.newest()].record;
  reserve(decided, 1);
  if (budget.active()) {
    const std::int32_t id = decided.round.view().id(decided.decision.action);
    check(ledger.hold(budget.hold_of(id)).ok(), "engine: what fits is held");
  }
}

void Engine::Heart::take_next() {
  open_up(decided_count);
  decided_count += 1;
  if (decided_count - ids_ahead_from >= ids_ahead.size()) {
    ids_ahead = cipher.ids_from(decided_count);
    ids_ahead_from = decided_count;
  }
  draws = open[open.newest()].record.draws;
  change = Change::kDecided;
}

Result<> Engine::Heart::fold(const DecideRecord& decided) {
  change = Change::kNothing;
  if (auto ok = check_next(decided); !ok) return ok;
  open.draft() = decided;
  take_next();
  return {};
}

Result<> Engine::Heart::fold(std::string_view record) {
  change = Change::kNothing;
  if (is_decision(record)) {
    DecideRecord& draft = open.draft();
    if (auto done = decode(record, draft); !done) return done;
    if (auto ok = check_next(draft); !ok) return ok;
    take_next();
    return {};
  }
  auto decoded = decode(record);
  if (!decoded) return decoded.failure();
  if (const auto* outcome = std::get_if<LearnRecord>(&decoded.value())) {
    auto done = learn(outcome->id, outcome->outcome);
    return done ? Result<>() : done.failure();
  }
  auto done = tick(std::get<TickRecord>(decoded.value()).now);
  return done ? Result<>() : done.failure();
}

std::string_view Engine::Heart::record() {
  bytes.clear();
  if (change == Change::kDecided) encode(open[open.newest()].record, bytes);
  if (change == Change::kLearned) encode(last_learned, bytes);
  if (change == Change::kTicked) encode(TickRecord{.now = now}, bytes);
  return bytes;
}

Result<LearnResult> Engine::Heart::answer_settled(std::uint64_t id, const Outcome& outcome) const {
  const std::uint64_t number = cipher.number_of(id);
  if (number >= decided_count) {
    return Error{fmt::format("decision {:016x}: no decision ever had this id", id),
                 Reason::kUnknown};
  }
  const Settled::Entry* entry = settled.find(number);
  if (entry == nullptr) {
    return Error{fmt::format("decision {:016x}: settled too long ago; only the last {} "
                             "are remembered",
                             id, config.options.remember),
                 Reason::kExpired};
  }
  if (entry->digest == kExpiredDigest) {
    return Error{fmt::format("decision {:016x}: it expired before its outcome came", id),
                 Reason::kExpired};
  }
  if (entry->digest == digest_of(id, outcome)) return LearnResult::kDuplicate;
  return Error{
      fmt::format("decision {:016x}: it already has another outcome; accepted: the same one again",
                  id),
      Reason::kConflict};
}

Result<LearnResult> Engine::Heart::learn(std::uint64_t id, const Outcome& outcome) {
  change = Change::kNothing;
  const std::int32_t slot = open.find(id);
  if (slot < 0) return answer_settled(id, outcome);
  const DecideRecord& decided = open[slot].record;
  const Round round = decided.round.view();
  Micros actual;  // read only under a hard budget
  if (budget.active()) {
    if (auto fits = validate(policy->shape(), outcome); !fits) return fits.failure();
    actual = {};
    for (int i = 0; i < outcome.costs.size(); ++i) {
      actual[as_size(i)] = nearest_micros_up(outcome.costs[i]);
    }
    const std::int32_t action = round.id(decided.decision.action);
    if (auto fits = ledger.can_settle(budget.hold_of(action), actual); !fits) {
      return fits.failure().in(fmt::format("outcome of action id {}: ", action));
    }
  }
  auto done = policy->learn(round, decided.decision, outcome);
  if (!done) return done.failure();
  learned += 1;
  close(slot, digest_of(id, outcome), actual);
  last_learned = {.id = id, .outcome = outcome};
  change = Change::kLearned;
  return LearnResult::kApplied;
}

void Engine::Heart::close(std::int32_t slot, std::uint64_t digest, const Micros& actual) {
  const DecideRecord& decided = open[slot].record;
  reserve(decided, -1);
  if (budget.active()) {
    const std::int32_t id = decided.round.view().id(decided.decision.action);
    check(ledger.settle(budget.hold_of(id), actual).ok(), "engine: what was held is settled");
  }
  settled.push({.number = open[slot].number, .digest = digest});
  open.remove(slot);
}

Outcome Engine::Heart::outcome_of(const DecideRecord& decided) const {
  const std::int32_t id = decided.round.view().id(decided.decision.action);
  Outcome outcome = *config.options.default_outcome;
  for (int i = 0; budget.active() && i < outcome.costs.size(); ++i) {
    outcome.costs[i] = std::min(outcome.costs[i], budget.largest(id, i));
  }
  return outcome;
}

void Engine::Heart::learn_expiring(std::int64_t count) {
  known.assign(as_size(count), false);
  if (!config.options.default_outcome || count == 0) return;
  const bool may_throw =
      uses_own(config.policy, OwnKind::kOracle) || uses_own(config.policy, OwnKind::kPolicy);
  const std::string before = may_throw ? policy->save() : std::string();
  try {
    std::int32_t slot = open.oldest();
    for (std::int64_t n = 0; n < count; ++n, slot = open[slot].newer) {
      const DecideRecord& decided = open[slot].record;
      // A policy refuses only a decision that it cannot have made, from a forged record. The fold
      // then continues, and the decision is not learned.
      known[as_size(n)] =
          policy->learn(decided.round.view(), decided.decision, outcome_of(decided)).ok();
    }
  } catch (...) {
    if (may_throw) policy->load(before).check();
    throw;
  }
}

void Engine::Heart::expire(std::int32_t slot, bool learned_it) {
  Micros actual{};
  if (budget.active()) {
    const DecideRecord& decided = open[slot].record;
    const Micros held = budget.hold_of(decided.round.view().id(decided.decision.action));
    actual = held;
    if (learned_it) {
      const Outcome outcome = outcome_of(decided);
      for (int i = 0; i < outcome.costs.size(); ++i) {
        actual[as_size(i)] = nearest_micros_up(outcome.costs[i]);
      }
      if (!ledger.can_settle(held, actual)) actual = held;
    }
  }
  expired += 1;
  close(slot, kExpiredDigest, actual);
}

Result<std::int64_t> Engine::Heart::tick(std::int64_t to) {
  change = Change::kNothing;
  if (to < now || to > kMaxClock) {
    return Error{fmt::format("tick: found {}; accepted: {} to {}, the clock never goes back", to,
                             now, kMaxClock)};
  }
  std::int64_t count = 0;
  for (std::int32_t slot = open.oldest(); config.options.expire_after > 0 && slot >= 0 &&
                                          to - open[slot].record.at > config.options.expire_after;
       slot = open[slot].newer) {
    ++count;
  }
  learn_expiring(count);
  for (std::int64_t n = 0; n < count; ++n) expire(open.oldest(), known[as_size(n)]);
  now = to;
  change = Change::kTicked;
  return count;
}

}  // namespace rein
