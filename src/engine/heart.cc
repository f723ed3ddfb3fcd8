#include "engine/heart.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/came.h"
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

// A default outcome with some parts only is for policies that learn parts. Pieces of the caller's own
// could throw at every tick.
Result<> check_default(const Config& config, const Policy& policy) {
  const auto& usual = config.options.default_outcome;
  const int m = static_cast<int>(policy.shape().costs.size());
  if (!usual || came_of(*usual) == all_came(m)) return {};
  if (policy.state().learns_parts && !uses_own(config.policy, OwnKind::kOracle)) return {};
  return Error{
      "engine: default_outcome: it lacks a part, and this policy or its own oracle learns whole "
      "outcomes; accepted: the reward and every cost"};
}

}  // namespace

Engine::Heart::Heart(Config made_from, std::unique_ptr<Policy> made_policy)
    : config(std::move(made_from)),
      config_bytes(encode(config)),
      policy(std::move(made_policy)),
      largest(policy->shape(), config.options),
      cipher(IdCipher::from(config.options.seed, config.options.secret)),
      billed(static_cast<int>(policy->shape().costs.size())),
      budgets(Budgets::make(budgets_of(policy->shape(), config.options), policy->shape(),
                            {.most_keys = config.options.most_keys,
                             .secret = config.options.seed ^ config.options.secret[0],
                             .paced = policy->shape().paced})
                  .value()),
      open(config.options.most_open),
      settled(config.options.remember, policy->shape().heads()),
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
  Shape shape = config.shape;
  shape.paced = is_paced(config);
  auto policy = make_policy(config.policy, shape, config.own);
  if (!policy) return policy.failure();
  // The policy's own shape may be narrower than the given one: a knapsack has no negative costs.
  if (auto ok = validate(policy.value()->shape(), config.options); !ok) return ok.failure();
  if (auto ok = check_default(config, *policy.value()); !ok) return ok.failure();
  if (auto ok = check_has_budget(*policy.value()); !ok) return ok.failure();
  if (auto ok = check_given_once(config, *policy.value()); !ok) return ok.failure();
  if (shape.paced) {
    if (auto ok = check_paced(policy.value()->shape(), config.options); !ok) return ok.failure();
  }
  return std::make_unique<Heart>(std::move(config), std::move(policy).value());
}

Costs Engine::Heart::reserved_costs() const {
  Costs costs(static_cast<int>(units.size()));
  for (int i = 0; i < costs.size(); ++i) {
    costs[i] = static_cast<double>(reserved[as_size(i)]) / kShares * units[as_size(i)];
  }
  return costs;
}

void Engine::Heart::reserve(const DecideRecord& decided, Came which, std::int64_t sign) {
  const Estimates& said = decided.decision.estimates;
  for (int i = 0; i + 1 < said.heads(); ++i) {
    if ((which & cost_came(i)) == 0) continue;
    const double mean = said.mean(i + 1)[as_size(decided.decision.action)];
    const double part = mean > 0.0 ? std::min(mean / units[as_size(i)], 1.0) : 0.0;
    const double shares = part * kShares;
    const auto down = static_cast<std::int64_t>(shares);
    reserved[as_size(i)] += sign * (static_cast<double>(down) < shares ? down + 1 : down);
  }
  for (int part = 0; part <= billed.size(); ++part) {
    if ((which >> part & 1U) != 0) missing[as_size(part)] += sign;
  }
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

Result<> Engine::Heart::expect(std::span<const double> costs) {
  change = Change::kNothing;
  const Shape& shape = policy->shape();
  const std::size_t m = shape.costs.size();
  const std::size_t all = as_size(shape.actions) * m;
  if (!costs.empty() && costs.size() != all) {
    return Error{
        fmt::format("expected costs: found {} numbers; accepted: {} ({} actions, {} costs)",
                    costs.size(), all, shape.actions, m)};
  }
  for (std::size_t j = 0; j < costs.size(); ++j) {
    const Range& range = shape.costs[j % m].range;
    if (costs[j] >= range.low && costs[j] <= range.high) continue;
    return Error{
        fmt::format("expected costs: action id {} has {} for cost \"{}\"; accepted: {} to {}",
                    j / m, costs[j], shape.costs[j % m].name, range.low, range.high)};
  }
  expected.assign(costs.begin(), costs.end());
  change = Change::kExpected;
  return {};
}

void Engine::Heart::fill_expected(const Round& round, std::vector<double>& rows) const {
  rows.clear();
  const std::size_t m = units.size();
  for (int a = 0; a < round.actions; ++a) {
    const std::int32_t id = round.ids.empty() || as_size(a) < round.ids.size() ? round.id(a) : -1;
    if (id < 0 || (as_size(id) + 1) * m > expected.size()) return;  // the policy refuses the round
    const auto row = expected.begin() + static_cast<std::ptrdiff_t>(as_size(id) * m);
    rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(m));
  }
}

Result<> Engine::Heart::choose(const Round& round, const DecideOptions& options, Scratch& working,
                               DecideRecord& out) const {
  if (auto room = check_room(); !room) return room;
  auto keys = budgets.keys_of(options.scopes);
  if (!keys) return keys.failure();
  out.keys = keys.value();
  if (auto found = find_places(round, options, out.keys, out.places); !found) return found;
  out.offered = round.actions;
  const bool all = out.places.empty();
  const bool expects = !expected.empty() && round.expected_costs.empty();
  Round seen = round;
  if (!all) out.round.copy(round, out.places);
  if (expects) fill_expected(all ? round : out.round.view(), out.round.expected_costs);
  if (!all) seen = out.round.view();
  if (expects) seen.expected_costs = out.round.expected_costs;
  Rng rng(config.options.seed);
  rng.set_counter(draws);
  const Costs held = reserved_costs();
  Money money{.reserved = held.span(), .paces = {}, .left = {}};
  Paces paces;
  if (policy->shape().paced) {
    budgets.paces(out.keys, held, paces);
    money.paces = {paces.pace.data(), units.size()};
    money.left = {paces.left.data(), units.size()};
  }
  auto done = policy->decide(seen, money, rng, working, out.decision);
  if (!done) return done;
  if (auto sound = check_own(out.decision); !sound) return sound;
  if (all) out.round.copy(round);
  if (all && expects) fill_expected(round, out.round.expected_costs);
  out.id = next_id();
  out.at = now;
  out.draws = rng.counter();
  const std::size_t m = options.largest_costs.empty() ? 0 : units.size();
  out.largest = Costs(options.largest_costs.subspan(as_size(out.offered_action()) * m, m));
  return {};
}

Engine::Decision Engine::Heart::shown(const Round& round, const DecideRecord& decided,
                                      AllActions& room) {
  const rein::Decision& d = decided.decision;
  Engine::Decision made{.id = decided.id,
                        .action = decided.offered_action(),
                        .action_id = round.id(decided.offered_action()),
                        .probability = d.probability,
                        .fitting = decided.round.actions,
                        .holdout = d.holdout,
                        .prices = d.prices,
                        .probabilities = d.probabilities(),
                        .estimates = &d.estimates};
  if (decided.places.empty()) return made;

  Estimates& estimates = room.estimates;
  room.probabilities.assign(as_size(round.actions), 0.0);
  estimates.prepare(d.estimates.heads(), round.actions);
  estimates.set_apart(d.estimates.apart());
  const int widths = estimates.apart() ? estimates.heads() : 1;
  for (int h = 0; h < estimates.heads(); ++h) std::ranges::fill(estimates.mean(h), kNan);
  for (int h = 0; h < widths; ++h) std::ranges::fill(estimates.width(h), kNan);
  for (std::size_t a = 0; a < decided.places.size(); ++a) {
    const auto place = as_size(decided.places[a]);
    room.probabilities[place] = d.probabilities()[a];
    for (int h = 0; h < widths; ++h) estimates.width(h)[place] = d.estimates.width(h)[a];
    for (int h = 0; h < estimates.heads(); ++h) estimates.mean(h)[place] = d.estimates.mean(h)[a];
  }
  made.probabilities = room.probabilities;
  made.estimates = &estimates;
  return made;
}

Result<Engine::Decision> Engine::Heart::look(const Round& round, const DecideOptions& options,
                                             LookScratch& memory) const {
  auto done = choose(round, options, memory.scratch, memory.record);
  if (!done) return done.failure();
  return shown(round, memory.record, memory.all_actions);
}

Result<Engine::Decision> Engine::Heart::decide(const Round& round, const DecideOptions& options) {
  change = Change::kNothing;
  DecideRecord& draft = open.draft();
  if (auto done = choose(round, options, scratch, draft); !done) return done.failure();
  take_next();
  return shown(round, draft, all_actions);
}

Result<> Engine::Heart::check_next(const DecideRecord& decided) const {
  if (auto room = check_room(); !room) return room;
  if (decided.id != next_id() || decided.at != now || decided.draws < draws) {
    return Error{fmt::format("record: not the next decision here, which is number {} at {} after "
                             "{} draws (from another engine, or out of order)",
                             decided_count, now, draws),
                 Reason::kSequence};
  }
  if (auto ok = check_decided(decided); !ok) return ok;
  if (budgets.empty()) return {};
  if (const int i = budgets.needs_window(now); i >= 0) return Error{"record: a window is not open"};
  if (auto room = budgets.has_room(decided.keys); !room) return room;
  const Micros left = budgets.left(decided.keys), hold = holds_of(decided).largest;
  for (std::size_t i = 0; i < hold.size(); ++i) {
    if (hold[i] <= left[i]) continue;
    return Error{fmt::format("hard budget: action id {} could exceed it",
                             decided.round.view().id(decided.decision.action)),
                 Reason::kBudget};
  }
  return {};
}

Result<> Engine::Heart::check_decided(const DecideRecord& decided) const {
  if (auto fits = validate(policy->shape(), decided.round.view()); !fits) return fits;
  if (!decided.largest.empty() && decided.largest.size() != static_cast<int>(units.size())) {
    return Error{"record of a decision: accepted: one largest cost per cost, or none"};
  }
  return check_decision(policy->shape(), decided);
}

void Engine::Heart::open_up(std::uint64_t number) {
  open.add(number);
  reserve(open[open.newest()].record, all_parts(), 1);
}

void Engine::Heart::take_next() {
  open_up(decided_count);
  decided_count += 1;
  if (!budgets.empty()) {
    const DecideRecord& decided = open[open.newest()].record;
    open.claim(open.newest()) = budgets.take(decided.keys, holds_of(decided));
    budgets.advance(static_cast<std::int64_t>(decided_count), now);
  }
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
  const auto plain = [](const auto& result) { return result ? Result<>() : result.failure(); };
  return std::visit(
      [&](const auto& one) -> Result<> {
        using Kind = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Kind, LearnRecord>) return plain(learn(one.id, one.outcome));
        if constexpr (std::is_same_v<Kind, CancelRecord>) return cancel(one.id);
        if constexpr (std::is_same_v<Kind, TickRecord>) return plain(fold(one));
        if constexpr (std::is_same_v<Kind, BudgetRecord>) return fold(one);
        if constexpr (std::is_same_v<Kind, ExpectRecord>) return expect(one.costs);
        if constexpr (std::is_same_v<Kind, WarmRecord>) return fold(one);
        throw Bug("engine: a decision is decoded above");
      },
      decoded.value());
}

std::string_view Engine::Heart::record() {
  bytes.clear();
  if (change == Change::kDecided) encode(open[open.newest()].record, bytes);
  if (change == Change::kLearned) encode(last_learned, bytes);
  if (change == Change::kTicked) encode(last_tick, bytes);
  if (change == Change::kCancelled) encode(last_cancelled, bytes);
  if (change == Change::kBudget) encode(last_budget, bytes);
  if (change == Change::kExpected) encode(ExpectRecord{.costs = expected}, bytes);
  if (change == Change::kWarmed) encode(last_warm, bytes);
  return bytes;
}

}  // namespace rein
