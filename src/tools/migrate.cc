#include "tools/migrate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/came.h"
#include "base/check.h"
#include "serve/first_entries.h"
#include "tools/export.h"

namespace rein::serve {
namespace {

// Teaches the engine rounds, as many at a time as one call takes.
class Lessons {
 public:
  explicit Lessons(Engine& engine) : engine_(engine) {}

  // Of a removed action whose place another one has, nothing can be learned: the round is learned
  // without it, or not at all if it was the one that was chosen.
  Result<> add(const StoredRound& given, std::int32_t action, const Outcome& outcome) {
    std::vector<std::int32_t> known;
    std::int32_t chosen = -1;
    for (std::int32_t a = 0; a < given.actions; ++a) {
      if (engine_.place_of(given.view().id(a)) < 0) continue;
      if (a == action) chosen = static_cast<std::int32_t>(known.size());
      known.push_back(a);
    }
    if (chosen < 0) return {};
    if (static_cast<int>(known.size()) == given.actions) return keep(given, action, outcome);
    StoredRound round;
    round.copy(given.view(), known);
    return keep(round, chosen, outcome);
  }
  Result<> keep(const StoredRound& round, std::int32_t action, const Outcome& outcome) {
    const std::int64_t numbers = static_cast<std::int64_t>(
        round.context.size() + round.features.size() + 2 * round.sparse_value.size() +
        round.sparse_begin.size() + round.ids.size() + round.expected_costs.size());
    const bool full = static_cast<std::int64_t>(rows_.size()) == kMaxWarmRounds ||
                      numbers_ + numbers > kMaxWarmNumbers;
    if (full) {
      if (auto done = teach(); !done) return done;
    }
    numbers_ += numbers;
    rows_.push_back({round, action, outcome});
    return {};
  }
  Result<> teach() {
    std::vector<LoggedRound> rounds;
    rounds.reserve(rows_.size());
    for (const WarmRecord::Row& row : rows_) {
      rounds.push_back({row.round.view(), row.action, row.outcome});
    }
    auto done = engine_.warm_start(rounds, learned_);
    if (!done) return done.failure();
    learned_ += done.value();
    rows_.clear();
    numbers_ = 0;
    return {};
  }
  std::int64_t learned() const { return learned_; }

 private:
  Engine& engine_;
  std::vector<WarmRecord::Row> rows_;
  std::int64_t numbers_ = 0, learned_ = 0;
};

// What the policy learned of a decision: what came, and after expiry the default for the rest.
Outcome outcome_of(const ExportRow& row, const EngineOptions& options) {
  Outcome outcome = row.came;
  if (row.state != ExportRow::State::kExpired || !options.default_outcome) return outcome;
  const Outcome& usual = *options.default_outcome;
  if (is_missing(outcome.reward)) outcome.reward = usual.reward;
  for (int i = 0; i < std::min(outcome.costs.size(), usual.costs.size()); ++i) {
    if (is_missing(outcome.costs[i])) outcome.costs[i] = usual.costs[i];
  }
  return outcome;
}

// Rows as they became complete, and rounds of logs where the model learned them.
Result<> learn_again(const Journal& journal, Lessons& lessons) {
  const auto each = [&](const ExportRow& row, const ModelState& now) -> Result<> {
    const Outcome outcome = outcome_of(row, now.engine.options());
    const bool nothing = row.state == ExportRow::State::kCancelled || came_of(outcome) == 0;
    if (nothing) return {};
    return lessons.add(row.decided.round, row.decided.decision.action, outcome);
  };
  const auto after = [&](std::int64_t, const Event& event, const ModelState&) -> Result<> {
    if (event.kind != Event::Kind::kRecord || event.decided) return {};
    auto record = decode(event.record);
    if (!record) return record.failure();
    const auto* warm = std::get_if<WarmRecord>(&record.value());
    if (warm == nullptr) return {};
    for (const WarmRecord::Row& row : warm->rows) {
      if (auto done = lessons.add(row.round, row.action, row.outcome); !done) return done;
    }
    return {};
  };
  auto read = read_rows(journal, true, each, after);
  return read ? lessons.teach() : read.failure();
}

// What a journal begins with: nothing in a new model, and the state of another journal or a log in one
// that was renewed, trained or migrated. Of a policy that is not known, only outcomes of decisions count.
Result<std::int64_t> learned_before(const Journal& journal) {
  const auto first = read_first(journal);
  if (!first) return first.failure();
  auto state = ModelState::created(first.value().created);
  if (!state) state = ModelState::created(first.value().created, true);
  if (!state) return state.failure();
  const PolicyState policy = state.value().engine.policy_state();
  return std::max(state.value().engine.state().learned, policy.rounds + policy.warm);
}

// The document says which policy the model has.
std::string with_policy_in(const std::string& document, const std::string& policy) {
  Json parsed = read_json(document);
  auto& members = std::get<Json::Object>(parsed.is);
  for (auto& [name, value] : members) {
    if (name != "policy") continue;
    value = Json(policy);
    return parsed.str();
  }
  members.emplace_back("policy", Json(policy));
  return parsed.str();
}

// A check of this program: money, ids and counts are those of the old model.
void check_same_books(const Engine& before, const Engine& now) {
  const EngineState was = before.state(), is = now.state();
  bool same = was.decided == is.decided && was.open == is.open && was.learned == is.learned &&
              was.expired == is.expired && was.cancelled == is.cancelled && was.now == is.now &&
              was.budgets.size() == is.budgets.size();
  for (std::size_t i = 0; same && i < was.budgets.size(); ++i) {
    same = was.budgets[i].spent == is.budgets[i].spent && was.budgets[i].held == is.budgets[i].held &&
           was.budgets[i].limit == is.budgets[i].limit;
  }
  check(same, "migrate: the books of the new model are not those of the old one");
}

}  // namespace

Result<Migrated> migrate(const ModelFolder& from, const TrainedPlace& to,
                         const std::string& policy) {
  const auto journal = open_journal_of(from);
  if (!journal) return journal.failure();
  if (auto whole = check_begins(*journal.value()); !whole) return error_in(from.path, whole.failure());
  auto state = fold_journal(*journal.value(), {.blind = true});
  if (!state) return error_in(from.path, state.failure());
  const auto before = learned_before(*journal.value());
  if (!before) return error_in(from.path, before.failure());
  const PolicyOrigin was = state.value().engine.policy_origin();
  const std::string spec = policy.empty() ? was.asked : policy;
  auto engine = state.value().engine.with_policy(spec);
  if (!engine) return engine.failure().in("--policy: ");
  Lessons lessons(engine.value());
  if (auto done = learn_again(*journal.value(), lessons); !done) {
    return error_in(from.path, done.failure());
  }
  check_same_books(state.value().engine, engine.value());
  if (auto done = engine.value().adopt_rules(state.value().began); !done) return done.failure();
  Migrated out{.entries = journal.value()->last(),
               .learned = lessons.learned(),
               .before = before.value(),
               .open = engine.value().state().open,
               .forgotten = state.value().requests.size(),
               .was = was.resolved.empty() ? was.asked : was.resolved,
               .is = engine.value().policy_origin().resolved};
  state.value().engine = std::move(engine).value();
  if (!policy.empty()) state.value().document = with_policy_in(state.value().document, policy);
  const auto hash = write_continuation(to, state.value());
  if (!hash) return hash.failure();
  out.hash = hash.value();
  return out;
}

}  // namespace rein::serve
