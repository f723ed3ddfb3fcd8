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

// Shares per unit of a cost, in which reservations are counted; where the range is not known, the
// unit is 1, and 2^24 open decisions of the most still fit.
constexpr double kShares = 0x1p32;
constexpr std::uint64_t kRunIds = 0x52'554E;  // "RUN": ids of runs are none of decisions
constexpr double kSharesInOne = 0x1p64;
constexpr double kMostUnknown = 0x1p38;


// Conversions, fast for what 64 bits hold.
MicroSum whole_up(double shares) {
  if (shares < 0x1p62) {
    const auto down = static_cast<std::int64_t>(shares);
    return static_cast<double>(down) < shares ? down + 1 : down;
  }
  return static_cast<MicroSum>(shares);  // a double of this size is a whole number
}

double as_double(MicroSum sum) {
  const auto low = static_cast<std::int64_t>(sum);
  return low == sum ? static_cast<double>(low) : static_cast<double>(sum);
}

// Where no largest cost is declared, it is learned.
SeenCosts seen_costs_of(const Shape& shape, const EngineOptions& options) {
  const bool unknown =
      std::ranges::any_of(shape.costs, [](const CostShape& cost) { return !cost.range.has_top(); });
  if (!unknown || !options.largest_costs.empty()) return {};
  return {shape.actions, static_cast<int>(shape.costs.size())};
}

// Bills are learned where a hard budget holds quantiles of them.
BillRatios bill_ratios_of(const Shape& shape, const Budgets& budgets) {
  if (!budgets.any_learned()) return {};
  std::vector<double> quantiles;
  for (int i = 0; i < static_cast<int>(shape.costs.size()); ++i) quantiles.push_back(budgets.quantile(i));
  return {shape.actions, quantiles};
}

// A default outcome with some parts only is for policies that learn parts. Pieces of the caller's own
// could throw at every tick.
Result<> check_default(const Config& config, const Policy& policy) {
  const auto& usual = config.options.default_outcome;
  const int m = static_cast<int>(policy.shape().costs.size());
  if (!usual || came_of(*usual) == all_came(m)) return {};
  if (policy.state().learns_parts && !uses_own(config.policy, OwnKind::kOracle)) return {};
  return Error::of(
      "default_outcome",
      "engine: default_outcome: it lacks a part, and this policy or its own oracle learns whole "
      "outcomes; accepted: the reward and every cost");
}

}  // namespace

Engine::Heart::Heart(Config made_from, std::unique_ptr<Policy> made_policy)
    : config(std::move(made_from)),
      policy(std::move(made_policy)),
      largest(policy->shape(), config.options),
      roster(policy->shape().actions, config.options.actions),
      schema(config.options.schema ? std::optional<Schema>(*config.options.schema) : std::nullopt),
      cipher(IdCipher::from(config.options.seed, config.options.secret)),
      run_cipher(IdCipher::from(config.options.seed ^ kRunIds, config.options.secret)),
      billed(static_cast<int>(policy->shape().costs.size())),
      budgets(Budgets::make(budgets_of(policy->shape(), config.options), policy->shape(),
                            {.most_keys = config.options.most_keys,
                             .secret = config.options.seed ^ config.options.secret[0],
                             .paced = policy->shape().paced,
                             .coins = coins_of(policy->shape(), config.options)})
                  .value()),
      seen(seen_costs_of(policy->shape(), config.options)),
      bills(bill_ratios_of(policy->shape(), budgets)),
      runs(billed.size()),
      open(config.options.most_open),
      settled(config.options.remember, policy->shape().heads()),
      history(policy->shape().actions, billed.size()),
      ids_ahead(cipher.ids_from(0)),
      scratch(*policy) {
  for (const CostShape& cost : policy->shape().costs) {
    units.push_back(cost.range.known() ? Share{unit_of(cost.range), kShares, 1.0}
                                       : Share{1.0, kSharesInOne, kMostUnknown});
  }
  last_gave_way.reserve(kLeaveAtOnce);
  for (int i = 0; i < budgets.size(); ++i) {
    if (budgets.budget(i).kind == BudgetKind::kHard) hard_costs |= cost_came(budgets.cost(i));
  }
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
  auto policy = make_meant(config, shape);
  if (!policy) return policy.failure().about("policy");
  if (config.blind) return std::make_unique<Heart>(std::move(config), std::move(policy).value());
  // The policy's own shape may be narrower than the given one: a knapsack has no negative costs.
  if (auto ok = validate(policy.value()->shape(), config.options); !ok) return ok.failure();
  if (auto ok = check_default(config, *policy.value()); !ok) return ok.failure();
  if (auto ok = check_has_budget(*policy.value()); !ok) return ok.failure();
  if (auto ok = check_given_once(config, *policy.value()); !ok) return ok.failure();
  if (shape.paced) {
    if (auto ok = check_paced(policy.value()->shape(), config.options); !ok) return ok.failure();
  }
  if (config.resolved.empty()) {
    config.resolved = written_out(meant(config.policy, config.meaning).value(), shape);
  }
  return std::make_unique<Heart>(std::move(config), std::move(policy).value());
}

Costs Engine::Heart::reserved_costs() const {
  Costs costs(static_cast<int>(units.size()));
  for (int i = 0; i < costs.size(); ++i) {
    const Share& share = units[as_size(i)];
    costs[i] = as_double(reserved[as_size(i)]) / share.shares * share.unit;
  }
  return costs;
}

void Engine::Heart::reserve(const DecideRecord& decided, Came which, std::int64_t sign) {
  const Estimates& estimates = decided.decision.estimates;
  for (int i = 0; i + 1 < estimates.heads(); ++i) {
    if ((which & cost_came(i)) == 0) continue;
    const double mean = estimates.mean(i + 1)[as_size(decided.decision.action)];
    const Share& share = units[as_size(i)];
    const double part = mean > 0.0 ? std::min(mean / share.unit, share.most) : 0.0;
    const double shares = part * share.shares;
    reserved[as_size(i)] += sign * whole_up(shares);
  }
  for (int part = 0; part <= billed.size(); ++part) {
    if ((which >> part & 1U) != 0) missing[as_size(part)] += sign;
  }
}

std::uint64_t Engine::Heart::next_id() const {
  const std::uint64_t number = next_number(), ahead = number - ids_ahead_from;
  return ahead < ids_ahead.size() ? ids_ahead[ahead] : cipher.id_of(number);
}

Result<> Engine::Heart::choose(const Round& round, const DecideOptions& options, Scratch& working,
                               DecideRecord& out, std::vector<BarredAction>& left_out) const {
  if (auto room = check_room(); !room) return room;
  if (auto ok = roster.check(round); !ok) return ok;
  auto keys = budgets.keys_of(options.scopes);
  if (!keys) return keys.failure();
  out.keys = keys.value();
  out.run = options.run;
  if (out.run != 0) {
    if (auto open_run = check_run(out.run); !open_run) return open_run;
  }
  out.names.clear();
  if (budgets.any_named()) budgets.new_names(options.scopes, out.keys, out.names);
  out.observed.clear();
  if (options.row.empty()) return choose_from(round, options, working, out, left_out);
  if (auto ok = encode_row(round, options.row, out); !ok) return ok;
  Round encoded = round;
  encoded.context = out.encoded;
  return choose_from(encoded, options, working, out, left_out);
}

Engine::Decision Engine::Heart::shown(const Round& round, const DecideRecord& decided,
                                      std::span<const BarredAction> barred, AllActions& room) {
  const rein::Decision& d = decided.decision;
  Engine::Decision made{.id = decided.id,
                        .action = round.id(decided.offered_action()),
                        .place = decided.offered_action(),
                        .best = d.best,
                        .probability = d.probability,
                        .fitting = decided.round.actions,
                        .holdout = d.holdout,
                        .prices = d.prices,
                        .probabilities = d.probabilities(),
                        .estimates = &d.estimates,
                        .barred = barred};
  if (decided.places.empty()) return made;
  if (d.best >= 0) made.best = decided.places[as_size(d.best)];

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
  auto done = choose(round, options, memory.scratch, memory.record, memory.barred);
  if (!done) return done.failure();
  return shown(round, memory.record, memory.barred, memory.all_actions);
}

Result<Engine::Decision> Engine::Heart::decide(const Round& round, const DecideOptions& options) {
  change = Change::kNothing;
  DecideRecord& draft = open.draft();
  last_barred.clear();
  if (auto done = choose(round, options, scratch, draft, last_barred); !done) return done.failure();
  make_room();
  if (!options.row.empty()) schema->observe(options.row).check();
  take_next();
  return shown(round, draft, last_barred, all_actions);
}

Result<> Engine::Heart::check_next(const DecideRecord& decided) const {
  if (auto room = check_room(); !room) return room;
  if (decided.id != next_id() || decided.at != now || decided.draws < draws) {
    return Error{fmt::format("record: not the next decision here, which is number {} at {} after "
                             "{} draws (from another engine, or out of order)",
                             next_number(), now, draws),
                 Reason::kSequence};
  }
  if (auto ok = check_record(decided); !ok) return ok;
  if (auto ok = roster.check(decided.round.view()); !ok) return ok;
  if (decided.run != 0) {
    if (auto open_run = check_run(decided.run); !open_run) return open_run;
  }
  if (budgets.empty()) return decided.run == 0 ? Result<>() : check_fits(decided);
  if (const int i = budgets.needs_window(now); i >= 0) return Error{"record: a window is not open"};
  if (auto room = budgets.has_room(decided.keys); !room) return room;
  if (auto ok = budgets.check_names(decided.keys, decided.names); !ok) return ok;
  return check_fits(decided);
}

Result<> Engine::Heart::check_record(const DecideRecord& decided) const {
  std::vector<std::int32_t> places;
  if (auto ok = roster.check_places(decided.round.view()); !ok) return ok;
  if (auto fits = validate(policy->shape(), in_places(decided.round.view(), places)); !fits) {
    return fits;
  }
  if (!decided.largest.empty() && decided.largest.size() != static_cast<int>(units.size())) {
    return Error{"record of a decision: accepted: one largest cost per cost, or none"};
  }
  if (!decided.holds.empty() && (decided.holds.size() != units.size() || !budgets.any_learned())) {
    return Error{"record of a decision: accepted: one learned hold per cost, or none"};
  }
  return check_decision(policy->shape(), decided);
}

void Engine::Heart::open_up(std::uint64_t number) {
  open.add(number);
  reserve(open[open.newest()].record, all_parts(), 1);
}

void Engine::Heart::take_next() {
  open_up(next_number());
  decided_count += 1;
  if (!budgets.empty()) {
    const DecideRecord& decided = open[open.newest()].record;
    Claim& claim = open.claim(open.newest());
    find_holds(decided, claim.holds);
    budgets.take(decided.keys, claim);
    if (!decided.names.empty()) budgets.keep_names(decided.keys, decided.names);
    budgets.advance(static_cast<std::int64_t>(decided_count), now);
  }
  hold_in_run(open.newest());
  if (hard_costs != 0 && holds_no_money(open[open.newest()])) open.let_give_way(open.newest());
  if (next_number() - ids_ahead_from >= ids_ahead.size()) {
    ids_ahead_from = next_number();
    ids_ahead = cipher.ids_from(ids_ahead_from);
  }
  const DecideRecord& made = open[open.newest()].record;
  draws = made.draws;
  const std::int32_t action = made.round.view().id(made.decision.action);
  if (history.count(action, made.decision.prices)) history.add(point());
  change = Change::kDecided;
}

HistoryPoint Engine::Heart::point() const {
  const PolicyState known = policy->brief();  // at first, every decision is a point
  return {.learned = known.rounds,
          .rewarded = rewarded,
          .now = now,
          .reward = known.reward,
          .spent = billed,
          .allowed = allowed_by(known)};
}

Result<> Engine::Heart::fold(const DecideRecord& decided) {
  change = Change::kNothing;
  if (auto ok = check_next(decided); !ok) return ok;
  if (auto ok = observe(decided.observed); !ok) return ok;
  make_room();
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
    if (auto ok = observe(draft.observed); !ok) return ok;
    make_room();
    take_next();
    return {};
  }
  auto decoded = decode(record);
  if (!decoded) return decoded.failure();
  const auto plain = [](const auto& result) { return result ? Result<>() : result.failure(); };
  return std::visit(
      [&](const auto& each) -> Result<> {
        using Kind = std::decay_t<decltype(each)>;
        if constexpr (std::is_same_v<Kind, LearnRecord>) {
          return plain(learn(each.id, each.outcome, each.lesson ? &*each.lesson : nullptr));
        }
        if constexpr (std::is_same_v<Kind, CancelRecord>) return cancel(each.id);
        if constexpr (std::is_same_v<Kind, TickRecord>) return plain(fold(each));
        if constexpr (std::is_same_v<Kind, BudgetRecord>) return fold(each);
        if constexpr (std::is_same_v<Kind, ExpectRecord>) return expect(each.costs);
        if constexpr (std::is_same_v<Kind, ActionRecord>) return fold(each);
        if constexpr (std::is_same_v<Kind, ObserveRecord>) return fold(each);
        if constexpr (std::is_same_v<Kind, WarmRecord>) return fold(each);
        if constexpr (std::is_same_v<Kind, RulesRecord>) return fold(each);
        if constexpr (std::is_same_v<Kind, LimitsRecord>) return fold(each);
        if constexpr (std::is_same_v<Kind, ClockRecord>) return fold(each);
        if constexpr (std::is_same_v<Kind, SkipRecord>) return fold(each);
        if constexpr (std::is_same_v<Kind, AgentRunRecord>) return fold(each);
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
  if (change == Change::kAction) encode(last_action, bytes);
  if (change == Change::kObserved) encode(last_observed, bytes);
  if (change == Change::kWarmed) encode(last_warm, bytes);
  if (change == Change::kAdopted) encode(last_rules, bytes);
  if (change == Change::kLimits) {
    encode(LimitsRecord{config.options.most_open, config.options.expire_after}, bytes);
  }
  if (change == Change::kClock) encode(last_clock, bytes);
  if (change == Change::kSkipped) encode(last_skipped, bytes);
  if (change == Change::kAgentRun) encode(last_run, bytes);
  return bytes;
}

}  // namespace rein
