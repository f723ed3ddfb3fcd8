#include "serve/model_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/hash.h"
#include "rein/bytes.h"
#include "rein/state_version.h"
#include "serve/names.h"

namespace rein::serve {
namespace {

// The version of a model's snapshot in 0.1.0, whose engine had state of version 6. Since then one
// number counts for both (rein/state_version.h).
constexpr std::int64_t kFirstModelVersion = 1;

// Reads the version of a model's snapshot.
void read_model_version(ByteReader& in) {
  ByteReader ahead = in;
  if (ahead.i64() == kFirstModelVersion) {
    in.i64();
    in.set_version(6);
    return;
  }
  in.read_version("state of a model", 7, kStateVersion);
}

Error corrupt(std::int64_t number, const std::string& what) {
  return {fmt::format("journal entry {}: {}", number, what), Reason::kCorrupt};
}

}  // namespace

std::string to_text(const Conduct& conduct) {
  JsonWriter json;
  json.begin_object();
  json.key("mode").value(name_of(conduct.mode));
  json.key("baseline").value(static_cast<std::int64_t>(conduct.baseline));
  json.key("fallback").begin_array();
  for (const std::string& status : conduct.fallback) json.value(status);
  json.end_array().end_object();
  return json.str();
}

// The name of a part of a snapshot that is there only if it has something in it.
constexpr const char* kOversightPart = "oversight";

ModelState::ModelState(Engine made)
    : engine(std::move(made)), requests(engine.options().remember) {}

void ModelState::read_plan() {
  oversight.plan(read_oversight(read_json(document), engine.options().budgets));
}

// The baseline is an id here: names may change their action.
void ModelState::read_conduct_text(const std::string& text) {
  const Json parsed = read_json(text);
  Fields fields(parsed);
  Conduct next;
  read_conduct(
      fields, [](const Json& id) { return static_cast<std::int32_t>(whole_of(id, "baseline")); },
      next);
  if (next.baseline >= engine.ids()) {
    throw invalid("baseline",
                  fmt::format("found {}; accepted: the id of an action", next.baseline));
  }
  conduct = next;
}

void ModelState::note_decision(std::int64_t number, std::uint64_t id) {
  if (last_decisions.empty()) last_decisions.resize(kLastDecisions);
  last_decisions[last_decision_ % kLastDecisions] = {id, number};
  ++last_decision_;
}

std::int64_t ModelState::entry_of(std::uint64_t id) const {
  for (const auto& [decision, number] : last_decisions) {
    if (decision == id && number > 0) return number;
  }
  return -1;
}

void ModelState::read_deferred(const std::string& text) {
  const Json parsed = read_json(text);
  const Json* waiting = Fields(parsed).find("deferred");
  if (waiting == nullptr) return;
  for (const Json& each : list_of(*waiting, "deferred")) {
    Fields one(each, "deferred");
    const std::string digits = text_of(one.get("id"), "deferred.id");
    std::uint64_t id = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), id, 16);
    if (code != std::errc() || end != digits.data() + digits.size()) {
      throw invalid("deferred.id", fmt::format("found \"{}\"; accepted: 16 hex digits", digits));
    }
    deferred[id] = whole_of(one.get("at"), "deferred.at");
  }
}

Event ModelState::creation(const ModelPlan& plan, const Engine& engine, std::string document,
                           std::int64_t at) {
  Event event{.kind = Event::Kind::kCreated, .at = at};
  event.text = std::move(document);
  event.note = to_text(plan.conduct);
  event.record = engine.snapshot();
  return event;
}

// Decisions that wait to be activated stand in the note, beside the conduct.
Event ModelState::continuation() const {
  Event event{.kind = Event::Kind::kCreated, .at = began};
  event.text = document;
  JsonWriter waiting;
  waiting.begin_object().key("deferred").begin_array();
  for (const auto& [id, at] : deferred) {
    waiting.begin_object()
        .key("id")
        .value(fmt::format("{:016x}", id))
        .key("at")
        .value(at)
        .end_object();
  }
  waiting.end_array().end_object();
  event.note = to_text(conduct);
  event.note.replace(event.note.size() - 1, 1, "," + waiting.str().substr(1));
  if (!oversight.empty()) {
    event.note.pop_back();
    event.note += fmt::format(",\"{}\":{}}}", kOversightPart, oversight.text());
  }
  event.record = engine.snapshot();
  return event;
}

Result<ModelState> ModelState::created(const Event& event, bool blind) {
  if (event.kind != Event::Kind::kCreated) return corrupt(1, "it does not create a model");
  auto engine = blind ? Engine::restore_blind(event.record) : Engine::restore(event.record);
  if (!engine) return engine.failure().in("journal entry 1: ");
  ModelState state(std::move(engine).value());
  state.document = event.text;
  state.began = event.at;
  try {
    state.read_conduct_text(event.note);
    state.read_deferred(event.note);
    state.read_plan();
    const Json note = read_json(event.note);
    if (const Json* saved = Fields(note).find(kOversightPart)) state.oversight.read(*saved);
    const Json document = read_json(event.text);
    Fields fields(document);
    if (const Json* hashed = fields.find("hashed")) {
      Fields sizes(*hashed, "hashed");
      const Shape& shape = state.engine.policy().shape();
      if (sizes.whole("context", 32) != shape.context ||
          sizes.whole("features", 32) != shape.features) {
        return corrupt(1, "its document is not that of its engine");
      }
      state.hashed = {.context = shape.context, .features = shape.features};
    }
  } catch (const Refused& wrong) {
    return corrupt(1, wrong.what());
  }
  return state;
}

Result<> ModelState::fold(std::int64_t number, const Event& event) {
  if (event.kind == Event::Kind::kCreated) return corrupt(number, "it creates the model again");
  if (event.kind == Event::Kind::kPart) return corrupt(number, "it is a part of a first state");
  if (auto same = check_hashes(number, event); !same) return same;
  if (event.kind == Event::Kind::kRecord) {
    if (auto done = engine.fold(event.record); !done) {
      return done.failure().in(fmt::format("journal entry {}: ", number));
    }
  }
  try {
    follow(number, event);
  } catch (const Refused& wrong) {
    return corrupt(number, wrong.what());
  }
  return {};
}

// Entries that say what the state was: another state now means that a replay is not what happened.
Result<> ModelState::check_hashes(std::int64_t number, const Event& event) {
  if (engine.blind()) return {};  // without the policy the hash would differ
  const auto compare = [&](std::string_view what, std::uint64_t now) -> Result<> {
    if (event.id == now) return {};
    return Error{fmt::format("journal entry {}: the state had the {} {:016x} when it was written, and "
                             "has {:016x} now",
                             number, what, event.id, now),
                 Reason::kSequence};
  };
  if (event.kind == Event::Kind::kHash) return compare("hash", hash());
  if (event.kind == Event::Kind::kHashAt && event.at_entry == marked_at_) {
    return compare(fmt::format("hash at entry {},", marked_at_), marked_hash_);
  }
  if (event.kind != Event::Kind::kMarked) return {};
  marked_at_ = number;
  marked_hash_ = hash();
  return compare("fingerprint", fingerprint());
}

void ModelState::follow(std::int64_t number, const Event& event) {
  if (event.kind == Event::Kind::kRecord && sets_clock(event.record)) {
    requests.set_back(event.at);
    for (auto& [id, at] : deferred) at = std::min(at, event.at);
  }
  requests.forget(event.at);
  if (event.kind == Event::Kind::kConduct) read_conduct_text(event.record);
  if (event.kind == Event::Kind::kDocument) {
    document = event.record;
    read_plan();
  }
  if (event.kind == Event::Kind::kNotice) oversight.fold(event.at, event.record);
  if (event.kind == Event::Kind::kRecord && !event.decided && !event.note.empty()) {
    oversight.fold_report(event.note);
  }
  if (event.decided) note_decision(number, event.id);
  if (event.kind == Event::Kind::kRecord && event.decided && event.deferred) {
    deferred[event.id] = event.at;
  } else if (event.kind == Event::Kind::kActivated || event.kind == Event::Kind::kRecord) {
    deferred.erase(event.id);  // an outcome activates too
  }
  if (!event.note.empty() && event.decided) notes[event.id] = event.note;
  // Notes of decisions that are no longer open leave now and then.
  if (static_cast<std::int64_t>(notes.size()) > 2 * engine.options().most_open) {
    std::erase_if(notes, [&](const auto& each) { return !engine.open_record(each.first); });
  }
  if (!event.mark.empty()) requests.add(event.mark, number, event.at);
}

std::uint64_t ModelState::hash() const {
  ByteWriter rest(hashed_version(engine.rules()));
  requests.save(rest);
  for (const auto& [id, at] : deferred) {
    rest.u64(id);
    rest.i64(at);
  }
  rest.text(to_text(conduct));
  if (!oversight.empty()) rest.text(oversight.text());
  rest.u64(engine.state_hash());
  return hash_of(rest.bytes());
}

std::uint64_t ModelState::fingerprint() const {
  const EngineState found = engine.state();
  const PolicyState policy = engine.brief_state();
  ByteWriter out;
  for (const std::int64_t count :
       {found.now, found.decided, found.open, found.learned, found.expired, found.cancelled,
        found.late, found.clipped, found.remembered, found.partly, found.without_reward,
        requests.size(), static_cast<std::int64_t>(deferred.size()), policy.rounds, policy.warm}) {
    out.i64(count);
  }
  for (const Costs& costs : {found.billed, found.reserved, policy.spent, policy.queues}) {
    out.f64s(costs.span());
  }
  out.f64(policy.reward);
  for (const BudgetState& budget : found.budgets) {
    for (const std::int64_t micros : {budget.limit, budget.spent, budget.held, budget.window}) {
      out.i64(micros);
    }
  }
  out.text(to_text(conduct));
  return hash_of(out.bytes());
}

std::string ModelState::save() const {
  ByteWriter out(kStateVersion);
  out.i64(kStateVersion);
  out.text(engine.snapshot());
  out.text(document);
  out.i64(began);
  out.text(to_text(conduct));
  out.i64(hashed.context);
  out.i64(hashed.features);
  requests.save(out);
  out.u64(deferred.size());
  for (const auto& [id, at] : deferred) {
    out.u64(id);
    out.i64(at);
  }
  out.u64(notes.size());
  for (const auto& [id, note] : notes) {
    out.u64(id);
    out.text(note);
  }
  if (!oversight.empty()) {
    out.text(kOversightPart);
    out.text(oversight.text());
  }
  return out.take();
}

Result<ModelState> ModelState::restore(std::string_view bytes, bool blind) {
  ByteReader in(bytes);
  read_model_version(in);
  const std::string engine_bytes = in.text();
  if (!in.ok()) return in.status().failure();
  auto engine = blind ? Engine::restore_blind(engine_bytes) : Engine::restore(engine_bytes);
  if (!engine) return engine.failure();
  ModelState state(std::move(engine).value());
  state.document = in.text();
  state.began = in.i64();
  const std::string conduct = in.text();
  state.hashed.context = static_cast<int>(in.between("hashed context", 0, kMaxFeatures));
  state.hashed.features = static_cast<int>(in.between("hashed features", 0, kMaxFeatures));
  if (auto ok = state.requests.load(in); !ok) return ok.failure();
  const std::uint64_t deferred = in.u64();
  for (std::uint64_t i = 0; i < deferred && in.ok(); ++i) {
    const std::uint64_t id = in.u64();
    state.deferred[id] = in.i64();
  }
  const std::uint64_t notes = in.u64();
  for (std::uint64_t i = 0; i < notes && in.ok(); ++i) {
    const std::uint64_t id = in.u64();
    state.notes[id] = in.text();
  }
  std::string overseen;
  if (in.ok() && in.left() > 0) {
    if (in.text() != kOversightPart) in.fail("snapshot: a part that this program does not know");
    overseen = in.text();
  }
  if (auto done = in.finish(); !done) return done.failure();
  try {
    state.read_conduct_text(conduct);
    state.read_plan();
    if (!overseen.empty()) state.oversight.read(read_json(overseen));
  } catch (const Refused& wrong) {
    return Error{wrong.what(), Reason::kCorrupt};
  }
  return state;
}

}  // namespace rein::serve
