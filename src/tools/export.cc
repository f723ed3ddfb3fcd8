#include "tools/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "base/size.h"

namespace rein::serve {
namespace {

ExportNames names_of(const Engine& engine) {
  ExportNames names{.engine = &engine};
  names.named = engine.schema() != nullptr;
  if (names.named) {
    names.context = engine.schema()->names();
  } else {
    for (int i = 0; i < engine.policy().shape().context; ++i) {
      names.context.push_back(std::to_string(i));
    }
  }
  for (const Budget& budget : engine.options().budgets) {
    if (budget.scope.empty() || std::ranges::find(names.scopes, budget.scope) != names.scopes.end())
      continue;
    names.scopes.push_back(budget.scope);
  }
  return names;
}

// Keeps the names of actions that are removed: decisions about them may still be written later.
void note_removed(const Engine& engine, ExportNames& names) {
  std::vector<bool> offered(as_size(engine.ids()));
  for (const std::int32_t id : engine.offered()) offered[as_size(id)] = true;
  for (std::int32_t id = 0; id < engine.ids(); ++id) {
    const std::string_view name = engine.action_name(id);
    if (!offered[as_size(id)] && !name.empty()) names.removed[id] = name;
  }
}

// Records of actions belong to no decision, so that the others need not be decoded here.
void note_removed(const Event& event, const Engine& engine, ExportNames& names) {
  if (event.kind != Event::Kind::kRecord || event.decided || event.id != 0) return;
  const auto record = decode(event.record);
  const auto* action = record ? std::get_if<ActionRecord>(&record.value()) : nullptr;
  if (action == nullptr || action->added) return;
  const std::string_view name = engine.action_name(action->id);
  if (!name.empty()) names.removed[action->id] = name;
}

// Joins decisions with their outcomes while the journal is folded.
class Join {
 public:
  using Emit = std::function<Result<>(const ExportRow& row)>;
  explicit Join(Emit emit) : emit_(std::move(emit)) {}

  // Decisions that are open in the first state: of a journal that goes on from another.
  Result<> begin(const ModelState& first) {
    for (const OpenDecision& one : first.engine.open()) {
      const auto record = first.engine.open_record(one.id);
      if (!record) return record.failure();
      if (auto done = open(*record.value(), "", first); !done) return done;
      open_[one.id].row.came = one.came;
    }
    return {};
  }

  Result<> after(const Event& event, const ModelState& state) {
    if (event.kind != Event::Kind::kRecord) return {};
    auto record = decode(event.record);
    if (!record) return record.failure();
    Record& change = record.value();
    if (auto* decided = std::get_if<DecideRecord>(&change)) {
      for (const std::uint64_t id : state.engine.gave_way_last()) give_way(id);
      if (auto done = forget(state); !done) return done;
      return open(std::move(*decided), event.note, state);
    }
    if (const auto* learned = std::get_if<LearnRecord>(&change)) return learn(*learned, state);
    if (const auto* cancelled = std::get_if<CancelRecord>(&change)) {
      const auto found = open_.find(cancelled->id);
      return found == open_.end() ? Result<>() : close(found, ExportRow::State::kCancelled);
    }
    if (std::holds_alternative<TickRecord>(change)) return expire(state);
    return {};
  }

  Result<> finish() {
    for (const std::uint64_t id : expired_) {
      const auto found = open_.find(id);
      if (found == open_.end()) continue;
      if (auto done = close(found, ExportRow::State::kExpired); !done) return done;
    }
    while (!order_.empty()) {
      const auto oldest = open_.find(order_.begin()->second);
      if (auto done = close(oldest, ExportRow::State::kOpen); !done) return done;
    }
    return {};
  }

 private:
  struct Waiting {
    std::int64_t place = 0;  // in order_
    ExportRow row;
  };
  using Place = std::unordered_map<std::uint64_t, Waiting>::iterator;

  Result<> open(DecideRecord decided, const std::string& note, const ModelState& state) {
    const int costs = static_cast<int>(state.engine.policy().shape().costs.size());
    Waiting waiting{.place = next_++, .row = {}};
    order_[waiting.place] = decided.id;
    const std::uint64_t id = decided.id;
    waiting.row.decided = std::move(decided);
    waiting.row.note = note;
    waiting.row.came.costs = Costs(costs, kMissing);
    open_[id] = std::move(waiting);
    return {};
  }

  Result<> learn(const LearnRecord& learned, const ModelState& state) {
    const auto found = open_.find(learned.id);
    if (found == open_.end()) return {};
    ExportRow& row = found->second.row;
    const bool expired = row.state == ExportRow::State::kExpired;
    // After expiry only costs are booked.
    if (!expired && is_missing(row.came.reward)) row.came.reward = learned.outcome.reward;
    bool whole = !is_missing(row.came.reward) || expired;
    for (int i = 0; i < row.came.costs.size(); ++i) {
      const bool news = is_missing(row.came.costs[i]) && i < learned.outcome.costs.size();
      if (news) row.came.costs[i] = learned.outcome.costs[i];
      whole = whole && !is_missing(row.came.costs[i]);
    }
    if (expired) return whole ? close(found, ExportRow::State::kExpired) : Result<>();
    return state.engine.open_record(learned.id) ? Result<>()
                                                : close(found, ExportRow::State::kSettled);
  }

  // Decisions expire in the order in which they were made.
  Result<> expire(const ModelState& state) {
    while (!order_.empty()) {
      const std::uint64_t id = order_.begin()->second;
      if (state.engine.open_record(id)) break;
      give_way(id);
    }
    return forget(state);
  }

  void give_way(std::uint64_t id) {
    Waiting& waiting = open_[id];
    order_.erase(waiting.place);
    waiting.row.state = ExportRow::State::kExpired;
    expired_.push_back(id);
  }

  // The engine forgets the oldest expired decisions: their bills are no longer booked.
  Result<> forget(const ModelState& state) {
    const auto most = static_cast<std::size_t>(state.engine.options().remember);
    while (expired_.size() > most) {
      const auto found = open_.find(expired_.front());
      expired_.pop_front();
      if (found == open_.end()) continue;  // all its costs came
      if (auto done = close(found, ExportRow::State::kExpired); !done) return done;
    }
    return {};
  }

  Result<> close(Place found, ExportRow::State as) {
    ExportRow row = std::move(found->second.row);
    order_.erase(found->second.place);
    open_.erase(found);
    row.state = as;
    return emit_(row);
  }

  Emit emit_;
  std::int64_t next_ = 0;
  std::unordered_map<std::uint64_t, Waiting> open_;  // and those that expired; never iterated
  std::map<std::int64_t, std::uint64_t> order_;      // ids of those that have not expired
  std::deque<std::uint64_t> expired_;
};

}  // namespace

std::string_view name_of(ExportRow::State state) {
  switch (state) {
    case ExportRow::State::kOpen:
      return "open";
    case ExportRow::State::kSettled:
      return "settled";
    case ExportRow::State::kExpired:
      return "expired";
    case ExportRow::State::kCancelled:
      return "cancelled";
  }
  return "open";
}

Result<ModelState> read_rows(const Journal& journal, bool blind, const EachRow& each,
                             const AfterEntry& after) {
  const ModelState* last = nullptr;
  Join join([&](const ExportRow& row) { return each(row, *last); });
  auto first = fold_journal(journal, {.to = 1, .blind = blind});
  if (!first) return first;
  last = &first.value();
  if (auto done = join.begin(first.value()); !done) return done.failure();
  auto state = fold_journal(
      journal, {.blind = blind},
      [&](std::int64_t number, const Event& event, const ModelState& now) -> Result<> {
        last = &now;
        if (after) {
          if (auto done = after(number, event, now); !done) return done;
        }
        auto done = join.after(event, now);
        return done ? Result<>() : done.failure().in(fmt::format("journal entry {}: ", number));
      });
  if (!state) return state;
  last = &state.value();
  if (auto done = join.finish(); !done) return done.failure();
  return state;
}

Result<Exported> export_journal(const Journal& journal, ExportFormat format, const Sink& sink) {
  if (auto whole = check_begins(journal); !whole) return whole.failure();
  Exported done;
  auto named = fold_journal(journal, {.to = 1});
  if (!named && named.reason() == Reason::kMeaning) {
    done.unknown_policy = named.error();
    named = fold_journal(journal, {.to = 1, .blind = true});
  }
  const bool blind = !done.unknown_policy.empty();
  // Numbers of a category get their names as it appears. The last state has all of them.
  const Schema* schema = named ? named.value().engine.schema() : nullptr;
  if (schema != nullptr && schema->learns()) named = fold_journal(journal, {.blind = blind});
  if (!named) return named.failure();
  ExportNames names = names_of(named.value().engine);
  if (format == ExportFormat::kCsv) {
    if (auto wrote = sink(csv_head(names)); !wrote) return wrote.failure();
  }
  const auto emit = [&](const ExportRow& row, const ModelState& now) {
    ++done.rows;
    names.engine = &now.engine;
    return sink(format == ExportFormat::kCsv     ? csv_line(row, names)
                : format == ExportFormat::kJsonl ? jsonl_line(row, names)
                                                 : dsjson_line(row, names));
  };
  note_removed(named.value().engine, names);
  auto state = read_rows(journal, blind, emit,
                         [&](std::int64_t, const Event& event, const ModelState& now) {
                           note_removed(event, now.engine, names);
                           return Result<>();
                         });
  if (!state) return state.failure();
  return done;
}

}  // namespace rein::serve
