#include "rein/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/math.h"
#include "base/size.h"
#include "engine/heart.h"

namespace rein {

Engine::Engine(std::unique_ptr<Heart> heart) : heart_(std::move(heart)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<Engine> Engine::make(const Spec& policy, const Shape& shape, const EngineOptions& options,
                            const Own& own) {
  auto heart = Heart::make({policy, shape, options, own});
  if (!heart) return heart.failure();
  return Engine(std::move(heart).value());
}

Result<Engine> Engine::make(std::string_view policy, const Shape& shape,
                            const EngineOptions& options, const Own& own) {
  auto spec = parse_spec(policy, "policy spec");
  if (!spec) return spec.failure().about("policy");
  return make(spec.value(), shape, options, own);
}

Result<Engine::Decision> Engine::decide(const Round& round, const DecideOptions& options) {
  return heart_->decide(round, options);
}
Result<Engine::Decision> Engine::look(const Round& round, LookScratch& scratch,
                                      const DecideOptions& options) const {
  return heart_->look(round, options, scratch);
}
std::span<const BarredAction> Engine::barred() const { return heart_->last_barred; }
Result<LearnResult> Engine::learn(std::uint64_t id, const Outcome& outcome) {
  return heart_->learn(id, outcome);
}
Result<LearnResult> Engine::learn(std::uint64_t id, const Outcome& outcome, const Outcome& lesson) {
  return heart_->learn(id, outcome, &lesson);
}
Result<> Engine::set_limits(std::int64_t most_open, std::int64_t expire_after) {
  return heart_->fold(LimitsRecord{most_open, expire_after});
}
std::int64_t Engine::room() const {
  const Open& open = heart_->open;
  std::int64_t room = options().most_open - open.size();
  for (std::int32_t slot = open.oldest(); slot >= 0; slot = open[slot].newer) {
    room += heart_->holds_no_money(open[slot]) ? 1 : 0;
  }
  return std::max<std::int64_t>(room, 0);
}
Result<> Engine::cancel(std::uint64_t id) { return heart_->cancel(id); }
Result<std::int64_t> Engine::tick(std::int64_t now) { return heart_->tick(now); }

Result<> Engine::set_clock(std::int64_t now) { return heart_->set_clock(now); }

Result<> Engine::expect(std::span<const double> costs) {
  const Roster& roster = heart_->roster;
  const std::size_t m = heart_->units.size();
  if (roster.plain() || costs.empty()) return heart_->expect(costs);
  const std::size_t all = as_size(roster.ids()) * m;
  if (costs.size() != all) {
    return Error::of(
        "expected_costs",
        fmt::format("expected costs: found {} numbers; accepted: {} ({} action ids, {} costs)",
                    costs.size(), all, roster.ids(), m));
  }
  std::vector<double> rows;
  for (std::int32_t place = 0; place < roster.places(); ++place) {
    const auto row = costs.subspan(as_size(roster.seat(place).id) * m, m);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return heart_->expect(rows);
}
bool Engine::expects() const { return !heart_->expected.empty(); }
std::int32_t Engine::ids() const { return heart_->roster.ids(); }
std::int32_t Engine::place_of(std::int32_t id) const { return heart_->roster.place(id); }
Round Engine::in_places(const Round& round, std::vector<std::int32_t>& places) const {
  return heart_->in_places(round, places);
}
Result<std::int32_t> Engine::add_action(std::string_view name, const NewAction& about) {
  const ActionRecord record{.id = heart_->roster.ids(),
                            .place = heart_->free_place(),
                            .name = std::string(name),
                            .largest = about.largest_costs,
                            .expected = about.expected_costs};
  if (auto done = heart_->fold(record); !done) return done.failure();
  return record.id;
}
Result<> Engine::remove_action(std::int32_t id) {
  return heart_->fold(ActionRecord{.added = false, .id = id});
}
std::span<const std::int32_t> Engine::offered() const { return heart_->roster.offered(); }
Result<> Engine::check_offered(const Round& round) const { return heart_->roster.check(round); }
Result<std::int32_t> Engine::action_id(std::string_view name) const {
  return heart_->roster.find(name);
}
std::string_view Engine::action_name(std::int32_t id) const { return heart_->roster.name(id); }
Result<> Engine::observe(std::span<const ColumnValues> columns) { return heart_->observe(columns); }
Result<std::int64_t> Engine::warm_start(std::span<const LoggedRound> rounds, std::int64_t number) {
  return heart_->warm_start(rounds, number);
}
Result<> Engine::check_logged(std::span<const LoggedRound> rounds, std::int64_t number) const {
  return heart_->check_logged(rounds, number);
}
Result<> Engine::top_up(std::string_view budget, double amount, std::span<const Scope> scopes) {
  return heart_->change_budget(budget, scopes,
                               {.change = BudgetRecord::Change::kTopUp, .amount = amount});
}
Result<> Engine::set_amount(std::string_view budget, double amount) {
  return heart_->change_budget(budget, {},
                               {.change = BudgetRecord::Change::kAmount, .amount = amount});
}
Result<> Engine::set_amount(std::string_view budget, std::optional<double> amount,
                            std::span<const Scope> scopes) {
  // In a list of amounts this name stands for all keys that have none of their own.
  if (std::ranges::any_of(scopes, [](const Scope& scope) { return scope.key == "*"; })) {
    return Error::of("scopes", fmt::format("budget \"{}\": found the key \"*\"; accepted: another one, or an "
                                           "amount without scopes, for all that have none of their own",
                                           budget));
  }
  return heart_->change_budget(
      budget, scopes,
      {.change = BudgetRecord::Change::kKeyAmount, .amount = amount.value_or(kNan)});
}
std::vector<Budget> Engine::present_budgets() const {
  std::vector<Budget> present;
  for (int i = 0; i < heart_->budgets.size(); ++i) present.push_back(heart_->budgets.present(i));
  return present;
}
Result<KeyPage> Engine::keys(std::string_view budget, const KeyQuery& query) const {
  return heart_->keys_of_budget(budget, query);
}
Result<std::vector<WindowState>> Engine::windows(std::string_view budget,
                                                 std::span<const Scope> scopes) const {
  return heart_->windows_of_budget(budget, scopes);
}
std::vector<ScopeKeys> Engine::used_keys() {
  heart_->notes_keys = true;
  return std::exchange(heart_->used_keys, {});
}
Result<ScopeKeys> Engine::keys_of(std::span<const Scope> scopes) const {
  return heart_->budgets.keys_of(scopes);
}
int Engine::dimension_of(std::string_view scope) const { return heart_->budgets.dimension_named(scope); }
std::optional<AccountState> Engine::account(int budget, const ScopeKeys& keys) const {
  return heart_->account(budget, keys);
}
Result<> Engine::begin_window(std::string_view budget) {
  return heart_->change_budget(budget, {}, {.change = BudgetRecord::Change::kWindow});
}

Result<> Engine::set_rounds(std::string_view budget, std::int64_t rounds) {
  return heart_->change_budget(
      budget, {}, {.change = BudgetRecord::Change::kRounds, .amount = static_cast<double>(rounds)});
}

std::span<const double> Engine::learned_largest_costs() const { return heart_->seen.bounds(); }
std::int64_t Engine::clipped() const { return heart_->clipped; }
std::int64_t Engine::gave_way() const { return heart_->gave_way; }
std::span<const std::uint64_t> Engine::gave_way_last() const { return heart_->last_gave_way; }

Result<std::vector<BudgetState>> Engine::budgets(std::span<const Scope> scopes) const {
  const auto keys = heart_->budgets.keys_of(scopes);
  if (!keys) return keys.failure();
  std::vector<BudgetState> found;
  for (int i = 0; i < heart_->budgets.size(); ++i) {
    if (heart_->budgets.applies(i, keys.value()))
      found.push_back(heart_->state_of(i, keys.value()));
  }
  return found;
}

std::vector<OpenDecision> Engine::open(std::int64_t decisions_most) const {
  const Open& open = heart_->open;
  std::vector<OpenDecision> found;
  for (std::int32_t slot = open.oldest(); slot >= 0; slot = open[slot].newer) {
    if (static_cast<std::int64_t>(found.size()) >= decisions_most) break;
    const DecideRecord& decided = open[slot].record;
    found.push_back({.id = decided.id,
                     .at = decided.at,
                     .action = decided.round.view().id(decided.decision.action),
                     .came = only(open[slot].outcome, open[slot].came, heart_->billed.size())});
  }
  return found;
}

Result<const DecideRecord*> Engine::open_record(std::uint64_t id) const {
  const std::int32_t slot = heart_->open.find(id);
  if (slot >= 0) return &heart_->open[slot].record;
  return heart_->not_open(id);
}

std::string_view Engine::record() { return heart_->record(); }

Result<> Engine::choose(const Round& round, Scratch& scratch, DecideRecord& out,
                        const DecideOptions& options) const {
  std::vector<BarredAction> barred;
  return heart_->choose(round, options, scratch, out, barred);
}

Result<> Engine::fold(const DecideRecord& record) { return heart_->fold(record); }
Result<LearnResult> Engine::fold(const LearnRecord& record) {
  return heart_->learn(record.id, record.outcome, record.lesson ? &*record.lesson : nullptr);
}
Result<std::int64_t> Engine::fold(const TickRecord& record) { return heart_->fold(record); }
Result<> Engine::fold(const CancelRecord& record) { return heart_->cancel(record.id); }
Result<> Engine::fold(const BudgetRecord& record) { return heart_->fold(record); }
Result<> Engine::fold(const ExpectRecord& record) { return heart_->expect(record.costs); }
Result<> Engine::fold(const ActionRecord& record) { return heart_->fold(record); }
Result<> Engine::fold(const ObserveRecord& record) { return heart_->fold(record); }
Result<> Engine::fold(const WarmRecord& record) { return heart_->fold(record); }
Result<> Engine::fold(const RulesRecord& record) { return heart_->fold(record); }
Result<> Engine::fold(const ClockRecord& record) { return heart_->fold(record); }
Result<> Engine::fold(const SkipRecord& record) { return heart_->fold(record); }
Result<> Engine::fold(const AgentRunRecord& record) { return heart_->fold(record); }
Result<std::uint64_t> Engine::open_run(const NewAgentRun& about) { return heart_->open_run(about); }
Result<> Engine::close_run(std::uint64_t id) {
  return heart_->fold(AgentRunRecord{.opened = false, .run = id, .amounts = {}});
}
Result<AgentRunState> Engine::agent_run(std::uint64_t id) const { return heart_->agent_run(id); }
std::vector<AgentRunState> Engine::agent_runs(bool only_open, std::int64_t first, std::int64_t most) const {
  return heart_->agent_runs(only_open, first, most);
}
std::int64_t Engine::next_run_end() const { return heart_->runs.next_end(); }
Result<> Engine::skip_ids(std::uint64_t count) { return heart_->fold(SkipRecord{count}); }
int Engine::rules() const { return heart_->rules; }
Result<Engine> Engine::with_policy(std::string_view policy) const {
  auto spec = parse_spec(policy, "policy spec");
  if (!spec) return spec.failure();
  auto heart = heart_->with_policy(spec.value());
  if (!heart) return heart.failure();
  return Engine(std::move(heart).value());
}

bool Engine::blind() const { return heart_->config.blind; }
PolicyOrigin Engine::policy_origin() const {
  const Config& config = heart_->config;
  return {config.policy.str(), config.resolved, config.meaning};
}
Result<> Engine::fold(const LimitsRecord& record) { return heart_->fold(record); }
Result<> Engine::adopt_rules(std::optional<std::int64_t> began) {
  const auto points = heart_->history.points();
  return heart_->adopt_rules(began.value_or(points.empty() ? heart_->now : points.front().now));
}
Result<> Engine::fold(std::string_view record) { return heart_->fold(record); }

std::string Engine::snapshot() const { return heart_->snapshot(); }

Result<Engine> Engine::restore(std::string_view snapshot, const Own& own) {
  auto heart = Heart::restore(snapshot, own, false);
  if (!heart) return heart.failure();
  return Engine(std::move(heart).value());
}

Result<Engine> Engine::restore_blind(std::string_view snapshot) {
  auto heart = Heart::restore(snapshot, {}, true);
  if (!heart) return heart.failure();
  return Engine(std::move(heart).value());
}

Result<> Engine::load(std::string_view snapshot) {
  const auto saved = Heart::config_in(snapshot);
  if (!saved) return saved.failure();
  Config config = heart_->config;
  config.options.most_open = saved.value().options.most_open;  // these may have changed since
  config.options.expire_after = saved.value().options.expire_after;
  auto heart = Heart::revive(std::move(config), snapshot);
  if (!heart) return heart.failure();
  heart_ = std::move(heart).value();
  return {};
}

std::uint64_t Engine::state_hash() const { return heart_->hash(); }

std::vector<HistoryPoint> Engine::history() const {
  std::vector<HistoryPoint> points = heart_->history.points();
  HistoryPoint present = heart_->history.complete(heart_->point());
  if (!points.empty() && points.back().decided == present.decided) points.pop_back();
  points.push_back(std::move(present));
  return points;
}

std::int64_t Engine::room_at(std::span<const Scope> scopes) const {
  const auto keys = heart_->budgets.keys_of(scopes);
  return keys ? heart_->room_at(keys.value()) : -1;
}

EngineState Engine::state() const {
  const Heart& heart = *heart_;
  EngineState state{
      .now = heart.now,
      .decided = static_cast<std::int64_t>(heart.decided_count),
      .open = heart.open.size(),
      .learned = heart.learned,
      .rewarded = heart.rewarded,
      .expired = heart.expired,
      .gave_way = heart.gave_way,
      .cancelled = heart.cancelled,
      .late = heart.late,
      .too_late = heart.too_late,
      .clipped = heart.clipped,
      .remembered = heart.settled.size(),
      .partly = heart.partly,
      .without_reward = heart.missing[0],
      .without_cost = {heart.missing.begin() + 1, heart.missing.begin() + 1 + heart.billed.size()},
      .open_since = heart.open.size() == 0 ? -1 : heart.open[heart.open.oldest()].record.at,
      .billed = heart.billed,
      .reserved = heart.reserved_costs()};
  state.open_runs = heart.runs.open_runs();
  state.budgets = budgets({}).value();
  for (const Budgets::Fill& fill : heart.budgets.fill()) {
    state.keys.push_back({fill.dimension, fill.keys, fill.most, fill.in_use});
  }
  return state;
}

PolicyState Engine::policy_state() const { return judged(policy().state()); }

PolicyState Engine::brief_state() const { return judged(policy().brief()); }

PolicyState Engine::judged(PolicyState state) const {
  state.allowed = heart_->allowed_by(state);
  constexpr double kOver = 1.005;
  constexpr double kNear = 0.9;  // of most_open: a tenth is left to send outcomes in
  if (state.status != Status::kOk && state.status != Status::kUnspent) return state;
  for (int i = 0; i < heart_->budgets.size(); ++i) {
    if (!heart_->budgets.applies(i, {})) continue;
    const BudgetState found = heart_->state_of(i, {});
    if (static_cast<double>(found.spent) > kOver * static_cast<double>(found.limit)) {
      state.status = Status::kOver;
      state.status_head = heart_->budgets.cost(i) + 1;
      state.status_goal = false;
      return state;
    }
    if (!found.past) continue;
    state.status = Status::kPast;
    state.status_head = heart_->budgets.cost(i) + 1;
    state.status_goal = false;
  }
  const bool near_limit =
      static_cast<double>(heart_->open.size()) >= kNear * static_cast<double>(options().most_open);
  if (near_limit && state.status != Status::kPast) {
    state.status = Status::kCrowded;
    state.status_head = -1;
    state.status_goal = false;
  }
  return state;
}

const Schema* Engine::schema() const { return heart_->schema ? &*heart_->schema : nullptr; }
const Policy& Engine::policy() const { return *heart_->policy; }
const EngineOptions& Engine::options() const { return heart_->config.options; }

}  // namespace rein
