#include "serve/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/check.h"
#include "http/log.h"
#include "journal/snapshot_files.h"
#include "serve/first_entries.h"
#include "serve/verbs.h"

namespace rein::serve {

namespace {

// Folders of a model that has files.
ModelOptions with_folders(ModelOptions options) {
  if (!options.snapshots && !options.folder.empty()) {
    options.snapshots = std::make_shared<SnapshotFiles>(options.folder);
  }
  if (options.archive.empty() && !options.folder.empty()) options.archive = options.folder + "/archive";
  return options;
}

}  // namespace

Model::Model(std::string name, ModelState state, ModelJournal journal, ModelOptions options)
    : name_(std::move(name)),
      state_(std::move(state)),
      journal_(std::move(journal)),
      options_(with_folders(std::move(options))),
      clock_(options_.clock_jump_seconds) {
  if (!options_.steady) options_.steady = steady_seconds;
  now_ = ticked_ = state_.engine.state().now;
  read_keep();
}

namespace {

// The engine is destroyed before the state is made from the event, so that a large engine is in
// memory once less.
Event first_event(const std::string& document, std::int64_t now) {
  const ModelPlan plan = read_document(read_json(document));
  Engine engine = taken(make_engine(plan));
  taken(engine.tick(now));  // its first windows open with it
  return ModelState::creation(plan, engine, document, now);
}

}  // namespace

Result<std::unique_ptr<Model>> Model::create(std::string name, const std::string& document,
                                             std::unique_ptr<Journal> journal,
                                             ModelOptions options) {
  const std::int64_t now = options.begins ? options.begins() : options.wall();
  const Event first = first_event(document, now);
  if (auto done = append_first(*journal, first); !done) return done.failure();
  auto state = ModelState::created(first);
  if (!state) return state.failure();
  std::unique_ptr<Model> model(
      new Model(std::move(name), std::move(state).value(), ModelJournal(std::move(journal)), std::move(options)));
  model->clock_.believe(now, model->options_.steady());
  return model;
}

Result<FoldedModel> first_fold(const Journal& journal, const Snapshots* snapshots, bool blind) {
  std::vector<std::string> skipped;
  if (snapshots != nullptr) {
    auto found = snapshots->latest();
    if (!found) return found.failure();
    skipped = std::move(found.value().skipped);
    if (found.value().snapshot) {
      const Snapshot& snapshot = *found.value().snapshot;
      auto continues = check_continues(journal, snapshot);
      if (!continues) return continues.failure();
      auto state = ModelState::restore(snapshot.bytes, blind);
      if (!state) return state.failure().in("snapshot: ");
      return FoldedModel{.state = std::move(state).value(),
                         .position = snapshot.position,
                         .snapshot_at = snapshot.position,
                         .snapshot_bytes = static_cast<std::int64_t>(snapshot.bytes.size()),
                         .skipped = std::move(skipped)};
    }
  }
  const auto first = read_first(journal);
  if (!first) return first.failure();
  auto state = ModelState::created(first.value().created, blind);
  if (!state) return state.failure();
  return FoldedModel{.state = std::move(state).value(),
                     .position = first.value().last,
                     .skipped = std::move(skipped)};
}

Result<std::unique_ptr<Model>> Model::open(std::string name, std::unique_ptr<Journal> journal,
                                           ModelOptions options) {
  options = with_folders(std::move(options));
  auto both = ModelJournal::with(std::move(journal), options.archive);
  if (!both) return both.failure();
  auto folded = first_fold(*both.value().whole, options.snapshots.get(), options.blind);
  if (!folded) return folded.failure().in(fmt::format("model {}: ", name));
  return resume_with(std::move(name), std::move(folded).value(), std::move(both).value(), std::move(options));
}

Result<std::unique_ptr<Model>> Model::resume(std::string name, FoldedModel folded,
                                             std::unique_ptr<Journal> journal, ModelOptions options) {
  auto both = ModelJournal::with(std::move(journal), options.archive);
  if (!both) return both.failure();
  return resume_with(std::move(name), std::move(folded), std::move(both).value(), std::move(options));
}

Result<std::unique_ptr<Model>> Model::resume_with(std::string name, FoldedModel folded, ModelJournal journal,
                                                  ModelOptions options) {
  std::unique_ptr<Model> model(new Model(std::move(name), std::move(folded.state), std::move(journal),
                                         std::move(options)));
  model->skipped_ = std::move(folded.skipped);
  model->snapshot_at_ = folded.snapshot_at > 0 ? folded.snapshot_at : folded.position;
  model->snapshot_bytes_ = folded.snapshot_bytes;
  model->since_.bytes = folded.bytes_since;
  model->since_.work_seconds = folded.work_since;
  if (auto done = model->catch_up(folded.position); !done) return done.failure();
  if (!model->options_.wall) return model;
  if (auto done = model->adopt_rules(); !done) return done.failure();
  return model;
}

FoldedModel Model::give_up() {
  check(pending_count_ == 0, "a model was given up with entries that are not committed");
  return {.state = std::move(state_),
          .position = journal_->last(),
          .snapshot_at = snapshot_at_,
          .snapshot_bytes = snapshot_bytes_,
          .bytes_since = since_.bytes,
          .work_since = since_.work_seconds,
          .skipped = {}};
}

Result<> Model::catch_up(std::int64_t position) {
  const auto begun = std::chrono::steady_clock::now();
  auto done = journal_->read(
      position + 1, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
        since_.bytes += static_cast<std::int64_t>(bytes.size());
        auto event = decode_event(bytes);
        if (!event) return event.failure().in(fmt::format("journal entry {}: ", number));
        if (auto folded = state_.fold(number, event.value()); !folded) return folded.failure();
        return true;
      });
  now_ = ticked_ = state_.engine.state().now;
  clock_.begin_after(now_);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  since_.work_seconds += took.count();
  return done;
}

Result<> Model::adopt_rules() {
  const int before = state_.engine.rules();
  if (auto adopted = state_.engine.adopt_rules(state_.began); !adopted) return adopted;
  const int after = state_.engine.rules();
  if (after == before) return {};
  push_record(0, {}, {});
  log("info", "newer rules",
      {{"model", name_}, {"from", std::int64_t{before}}, {"to", std::int64_t{after}}, {"entry", entries()}});
  return commit();
}

std::int64_t Model::entries() const {
  return journal_->last() + static_cast<std::int64_t>(pending_count_);
}

void Model::begin(bool changes) {
  read_clock();
  if (now_ > ticked_ && (changes || due())) tick();
  open_count_ = state_.engine.state().open;
  const PolicyState policy = state_.engine.brief_state();
  status_ = rein::name_of(policy.status);
}

void Model::tick() {
  give_up_deferred();
  auto ticked = state_.engine.tick(now_);
  if (ticked) push_record(0, {}, {});
  ticked_ = now_;
}

// Says once that the clocks disagree, and once that they agree again.
void Model::read_clock() {
  const std::int64_t wall = options_.wall();
  now_ = std::max(now_, clock_.read(wall, options_.steady()));
  clock_lag_ = wall - now_;
  const bool apart = std::abs(clock_lag_) > options_.clock_jump_seconds;
  if (apart == clocks_apart_) return;
  clocks_apart_ = apart;
  if (!apart) return log("info", "the clocks agree again", {{"model", name_}, {"now", now_}});
  const char* what = clock_.doubts()
                         ? "the wall clock jumped, and is not believed until that has lasted"
                         : "the model's time is ahead of the wall clock, and stands still";
  log("warning", what,
      {{"model", name_}, {"wall", wall}, {"now", now_}, {"to_set_it", "PATCH {\"clock\":\"now\"}"}});
}

void Model::set_clock() {
  const std::int64_t wall = options_.wall(), before = now_;
  clock_.believe(wall, options_.steady());
  clock_lag_ = 0;
  clocks_apart_ = false;
  now_ = wall;
  if (wall > ticked_) {
    tick();
  } else if (wall < ticked_) {
    taken(state_.engine.set_clock(wall), "clock");
    ticked_ = wall;
    push_record(0, {}, {});
  }
  if (options_.confirmed) options_.confirmed();
  log("info", "the clock was set", {{"model", name_}, {"from", before}, {"to", wall}});
}

// Decisions that nobody activated in time are given up before they expire: nothing was shown, so
// nothing is to be learned from them.
void Model::give_up_deferred() {
  const std::int64_t patience = state_.engine.options().expire_after;
  if (patience == 0) return;
  std::vector<std::uint64_t> due;
  for (const auto& [id, at] : state_.deferred) {
    if (at + patience < now_) due.push_back(id);
  }
  for (const std::uint64_t id : due) {
    if (state_.engine.cancel(id)) push_record(id, {}, {});
  }
}

bool Model::due() const {
  const Engine& engine = state_.engine;
  const EngineState found = engine.state();
  const std::int64_t patience = engine.options().expire_after;
  if (patience > 0 && found.open_since >= 0 && found.open_since + patience < now_) return true;
  if (const std::int64_t end = engine.next_run_end(); end >= 0 && end <= now_) return true;
  for (const Budget& budget : engine.options().budgets) {
    if (!budget.window.calendar() && budget.window.kind != Window::Kind::kTicks) continue;
    for (const BudgetState& state : found.budgets) {
      if (state.name == budget.name && state.last < now_) return true;
    }
  }
  return false;
}

std::string_view Model::baseline_because() const {
  const Conduct& conduct = state_.conduct;
  if (conduct.mode != Mode::kOnline) return name_of(conduct.mode);
  return std::ranges::find(conduct.fallback, status_) != conduct.fallback.end() ? status_ : "";
}

HttpResponse Model::call(const Ask& ask) {
  HttpResponse answer;
  by_ = !ask.by.empty() && is_change(ask) ? ask.by : std::string();
  asked_ = &ask;
  try {
    answer = run_verb(*this, ask);
  } catch (const Refused& why) {
    answer = answer_of(why);
    if (why.code() == "budget") ++watch_.refused_budget;
  }
  if (answer.status >= 400) {
    ++watch_.refused;
    if (ask.verb == "decide") ++watch_.refused_decisions;
  }
  by_.clear();
  asked_ = nullptr;
  return answer;
}

void Model::push(Event event) {
  event.at = now_;
  if (!by_.empty() && event.note.empty()) event.note = fmt::format("{{\"by\":{}}}", Json(by_).str());
  if (pending_count_ == pending_.size()) pending_.emplace_back();
  encode(event, pending_[pending_count_]);
  ++pending_count_;
  state_.follow(entries(), event);
}

void Model::push_record(std::uint64_t id, const RequestMark& mark, const HttpResponse& answer,
                        std::string note) {
  const std::string_view record = state_.engine.record();
  if (record.empty()) return;  // nothing changed
  Event event{.id = id, .mark = mark};
  if (!mark.empty()) {
    event.status = answer.status;
    event.text = answer.body;
  }
  event.record = record;
  event.note = std::move(note);
  push(std::move(event));
}

Result<> Model::commit() {
  if (pending_count_ == 0) return {};
  views_.assign(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(pending_count_));
  for (const std::string_view entry : views_) {
    since_.bytes += static_cast<std::int64_t>(entry.size());
  }
  auto done = journal_->append(views_);
  pending_count_ = 0;
  return done;
}

bool Model::answered(const RequestMark& mark, HttpResponse& answer) const {
  if (mark.empty()) return false;
  const std::int64_t number = state_.requests.find(mark);
  if (number == 0) {
    if (!state_.requests.full()) return false;
    throw Refused(503, "full",
                  "request_id: too many requests of the last 24 hours are remembered; "
                  "accepted: requests without a request_id");
  }
  const Event before = entry_of_request(number);
  if (!before.mark.same_request(mark)) return false;
  if (before.mark.body != mark.body) {
    throw Refused(409, "conflict",
                  "request_id: it came before with another body; accepted: the "
                  "same body, or another request_id",
                  "request_id");
  }
  answer = {.status = static_cast<int>(before.status),
            .body = before.text,
            .headers = {{"Rein-Repeated", "1"}}};
  return true;
}

// Entries older than the snapshot are not read when the model is opened. Damage to such an entry is
// found here, and harms only the requests whose answers the entry has.
Event Model::entry_of_request(std::int64_t number) const {
  auto found = entry(number);
  if (found) return std::move(found).value();
  log("error", "journal damaged", {{"model", name_}, {"entry", number}, {"why", found.error()}});
  throw Refused(503, "journal",
                fmt::format("request_id: this request came before, and what it did cannot be read "
                            "again: {}",
                            found.error()),
                "request_id");
}

Result<Event> Model::entry(std::int64_t number) const {
  if (number > journal_->last()) {
    return decode_event(pending_[static_cast<std::size_t>(number - journal_->last() - 1)]);
  }
  Result<Event> found = Error{fmt::format("journal entry {}: not there", number), Reason::kFailed};
  auto read = journal_->read(number, [&](std::int64_t, std::string_view bytes) -> Result<bool> {
    found = decode_event(bytes);
    return false;
  });
  if (!read) return read.failure();
  return found;
}

void Model::decided(std::size_t record_bytes) {
  // Bytes of an open decision besides its numbers: its place, its claim on budgets, and the
  // allocations. With 4 actions, 16 numbers and one cost, 2.2 kB in all were measured.
  constexpr std::int64_t kBesideRecord = 1500;
  constexpr std::int64_t kLatest = 64;  // decisions that the mean remembers
  const std::int64_t bytes = kBesideRecord + static_cast<std::int64_t>(record_bytes);
  decision_bytes_ += decision_bytes_ == 0 ? bytes : (bytes - decision_bytes_) / kLatest;
  ++open_count_;
}

std::int64_t Model::file_bytes(const std::string& file) const {
  if (options_.folder.empty()) return 0;
  std::error_code missing;
  const auto size = std::filesystem::file_size(options_.folder + "/" + file, missing);
  return missing ? 0 : static_cast<std::int64_t>(size);
}

Result<> Model::confirm() { return options_.journal_to_read ? journal_->append({}) : Result<>(); }

Result<std::vector<std::string>> Model::read_entries(std::int64_t from, std::int64_t to,
                                                     std::size_t most_bytes) const {
  std::vector<std::string> entries;
  std::size_t bytes = 0;
  auto read = journal_->read(from, [&](std::int64_t number, std::string_view entry) -> Result<bool> {
    entries.emplace_back(entry);
    bytes += entry.size();
    return number < to && bytes < most_bytes;
  });
  if (!read) return read.failure();
  return entries;
}

}  // namespace rein::serve
