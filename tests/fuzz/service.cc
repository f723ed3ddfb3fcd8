// The entry points of the service: bodies of requests, settings, journal entries, snapshots of models.
#include "fuzz/targets.h"
#include "journal/memory_journal.h"
#include "rein/bytes.h"
#include "serve/document.h"
#include "serve/model.h"
#include "serve/settings.h"
#include "serve/verbs.h"

namespace rein::fuzz {
namespace {

constexpr const char* kDocument = R"json({
  "actions": ["small", "large"], "context": {"age": "number", "country": "category(most=2,buckets=2)"}, "costs": {"dollars": [0, 5]},
  "reward": [0, 1], "expire_after": 50, "remember": 8, "most_open": 8, "most_keys": 8, "seed": 3, "baseline": "small",
  "largest_costs": {"small": 0.1, "large": 1},
  "budgets": [{"name": "day", "cost": "dollars", "amount": 9, "hard": true, "per": "100 ticks"},
              {"name": "tenant", "cost": "dollars", "amount": 9, "per": "40 ticks", "scope": "tenant"}]})json";
constexpr const char* kRanks =
    R"({"actions": 4, "hashed": {"context": 2, "features": 2}, "most_open": 8, "remember": 8, "seed": 3})";
constexpr const char* kRound = R"({"context":{"age":1,"country":"x"},"request_id":"first"})";

struct Call {
  const char* method;
  const char* verb;
  const char* rest;
  const char* seed;  // a body that is accepted; {id} is the open decision
};
// The first byte of an input chooses one of these.
constexpr Call kCalls[] = {
    {"POST", "decide", "",
     R"({"context":{"age":30,"country":"DE"},"scopes":{"tenant":"a"},"most_costs":0.5})"},
    {"POST", "decide", "",
     R"({"context":{"age":null,"country":7},"actions":["large",{"id":"small"}],"activate":false})"},
    {"POST", "decide", "",
     R"({"rounds":[{"context":{"age":1,"country":"x"},"expected_costs":[0.1,0.2]},{}]})"},
    {"POST", "outcome", "", R"({"id":"{id}","reward":1,"costs":{"dollars":0.05}})"},
    {"POST", "outcome", "",
     R"({"outcomes":[{"id":"{id}","costs":0.05},{"request_id":"first","reward":0.5}]})"},
    {"POST", "activate", "", R"({"id":"{id}"})"},
    {"POST", "cancel", "", R"({"id":"{id}"})"},
    {"PATCH", "budgets", "", R"({"budget":"day","top_up":5,"request_id":"a"})"},
    {"PATCH", "budgets", "", R"({"budget":"tenant","amount":7,"scopes":{"tenant":"a"}})"},
    {"POST", "expect", "", R"({"expected_costs":{"small":0.05,"large":{"dollars":0.5}}})"},
    {"POST", "actions", "", R"({"name":"medium","largest_costs":0.4})"},
    {"POST", "warm_start", "",
     R"({"rounds":[{"context":{"age":1,"country":"x"},"action":"large","reward":1,"costs":0.5}]})"},
    {"PATCH", "", "", R"({"mode":"shadow","baseline":"small","fallback":["changed"]})"},
    {"POST", "rank", "",
     R"({"contextFeatures":[{"u":{"a":3,"b":"c"}}],"actions":[{"id":"a","features":[{"x":1}]},{"id":"b"}],"eventId":"e"})"},
    {"POST", "events", "first/reward", R"({"value":0.5})"},
};
constexpr std::size_t kCount = std::size(kCalls);

struct Made {
  std::unique_ptr<serve::Model> model;
  std::string id;  // of an open decision
};

Made made_model(bool ranks) {
  serve::ModelOptions options;
  options.wall = [] { return std::int64_t{1'800'000'000}; };
  Made made;
  made.model =
      serve::Model::create("m", ranks ? kRanks : kDocument, make_memory_journal(), options).value();
  made.model->begin();
  const char* body = ranks ? R"({"actions":[{"id":"a"}],"eventId":"first"})" : kRound;
  const auto got = made.model->call({.method = "POST",
                                     .verb = ranks ? "rank" : "decide",
                                     .rest = {},
                                     .query = {},
                                     .body = body,
                                     .token = true});
  expect(got.status < 300, "the first decision is accepted");
  if (!ranks) made.id = got.body.substr(7, 16);
  made.model->commit().check();
  return made;
}

// Ids of decisions are secret, so inputs say {id}.
std::string with_id(Bytes bytes, const std::string& id) {
  std::string body(bytes);
  for (std::size_t at = body.find("{id}"); at != std::string::npos; at = body.find("{id}", at)) {
    body.replace(at, 4, id);
  }
  return body;
}

}  // namespace

namespace {

const Call& call_of(Bytes bytes) { return kCalls[static_cast<unsigned char>(bytes[0]) % kCount]; }

bool ranks(const Call& call) {
  const std::string_view verb = call.verb;
  return verb == "rank" || verb == "events";
}

serve::HttpResponse answer_to(Bytes bytes, Made& made) {
  const Call& call = call_of(bytes);
  return made.model->call({.method = call.method,
                           .verb = call.verb,
                           .rest = call.rest,
                           .query = {},
                           .body = with_id(bytes.substr(1), made.id),
                           .token = true});
}

}  // namespace

std::vector<std::string> body_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < kCount; ++i) {
    seeds.push_back(static_cast<char>(i) + std::string(kCalls[i].seed));
    Made made = made_model(ranks(kCalls[i]));
    expect(answer_to(seeds.back(), made).status < 300, "a seed is accepted");
  }
  return seeds;
}

void body(Bytes bytes) {
  if (bytes.empty()) return;
  Made made = made_model(ranks(call_of(bytes)));
  serve::Model& model = *made.model;
  const std::uint64_t before = model.state().hash();
  const std::int64_t entries = model.entries();
  const auto got = answer_to(bytes, made);
  if (got.status >= 400) {
    expect(model.state().hash() == before, "a request that is refused changes nothing");
    expect(model.entries() == entries, "and writes nothing");
    expect(got.body.find("\"message\":\"") != std::string::npos, "and says why");
  }
  if (!got.body.empty()) {
    const Json answer = serve::read_json(got.body);
    expect(serve::object_in(answer) != nullptr, "an answer is an object");
  }
  expect(model.commit().ok(), "what was written is committed");
  const auto again = serve::ModelState::restore(model.state().save());
  expect(again.ok() && again.value().hash() == model.state().hash(),
         "a state is restored as it was");
}

std::vector<std::string> document_seeds() {
  std::vector<std::string> seeds = {
      kDocument, kRanks,
      R"({"actions":3,"context":2,"action_features":2,"policy":"squarecb","reward":[0,1],"mode":"shadow","baseline":1})",
      R"json({"actions":["a","b"],"context":{"k":"category"},"absent":"missing","costs":["c","d"],"rounds":100,
        "budgets":[{"name":"n","cost":"c","amount":1,"per":"day","zone":"Europe/Berlin","carry":true},
                   {"name":"m","cost":"d","amount":2,"rounds":9}],"default_outcome":{"reward":0},
        "expire_after":9,"policy":"ccb(control=0,holdout=0.5)","fallback":["over"],"baseline":"a"})json"};
  for (const std::string& seed : seeds) {
    const auto engine = serve::make_engine(serve::read_document(serve::read_json(seed)));
    expect(engine.ok(), "a seed is accepted");
  }
  return seeds;
}

void document(Bytes bytes) {
  if (bytes.size() > 2000) return;  // larger ones may describe models that take long to make
  try {
    const serve::ModelPlan plan = serve::read_document(serve::read_json(bytes));
    const auto engine = serve::make_engine(plan);
    if (!engine) return expect(!engine.error().empty(), "a refusal says why");
    const auto first = serve::ModelState::creation(plan, engine.value(), std::string(bytes), 7);
    const auto made = serve::ModelState::created(first);
    expect(made.ok(), "a document that is accepted makes a model");
    const auto on = serve::ModelState::created(made.value().continuation());
    expect(on.ok() && on.value().hash() == made.value().hash(),
           "which another journal goes on from");
  } catch (const serve::Refused& why) {
    expect(why.what()[0] != '\0', "a refusal says why");
  }
}

void settings(Bytes bytes) {
  const auto none = [](const char*) -> std::optional<std::string> { return std::nullopt; };
  if (bytes.size() > 2000) return;  // larger documents may describe models that take long to make
  const auto read = serve::read_settings(bytes, none);
  if (!read) return expect(read.error().starts_with("settings: "), "a refusal says why");
  for (const auto& [name, document] : read.value().models) {
    expect(serve::is_model_name(name), "names of models are checked");
    serve::read_document(serve::read_json(document));
  }
}

std::vector<std::string> event_seeds() {
  const Made made = made_model(false);
  std::vector<std::string> seeds;
  serve::Event event{.at = 7, .id = 9, .decided = true, .deferred = true};
  event.mark = serve::mark_of(1, "a", "decide", "{}");
  event.text = "{}";
  event.note = "{}";
  std::string bytes;
  serve::encode(event, bytes);
  seeds.push_back(bytes);
  serve::encode(
      {.kind = serve::Event::Kind::kConduct, .record = R"({"mode":"shadow","baseline":1})"}, bytes);
  seeds.push_back(bytes);
  serve::encode({.kind = serve::Event::Kind::kHash, .id = made.model->state().hash()}, bytes);
  seeds.push_back(bytes);
  serve::encode({.kind = serve::Event::Kind::kActivated, .id = 7}, bytes);
  seeds.push_back(bytes);
  Made waiting = made_model(false);
  expect(answer_to(static_cast<char>(1) + std::string(kCalls[1].seed), waiting).status == 200,
         "a decision that waits to be activated");
  serve::encode(waiting.model->state().continuation(), bytes);
  seeds.push_back(bytes);
  return seeds;
}

void event(Bytes bytes) {
  const auto read = serve::decode_event(bytes);
  if (!read) return expect(!read.error().empty(), "a refusal says why");
  std::string again;
  serve::encode(read.value(), again);
  expect(again == bytes, "an event that is read is written the same");
  Made made = made_model(false);
  serve::ModelState& state = made.model->state();
  const std::uint64_t engine = state.engine.state_hash();
  if (const auto folded = state.fold(5, read.value()); !folded) {
    expect(!folded.error().empty(), "a refusal says why");
    expect(state.engine.state_hash() == engine, "a refused event leaves the engine");
  }
  (void)serve::ModelState::created(read.value());
}

namespace {

// What a snapshot of a model begins with: its version and its engine, which the target `snapshot`
// covers. Inputs are what follows.
std::string snapshot_head() {
  ByteWriter head;
  head.i64(1);
  head.text(made_model(false).model->engine().snapshot());
  return head.take();
}

}  // namespace

std::vector<std::string> model_snapshot_seeds() {
  Made made = made_model(false);
  const std::string deferred =
      R"({"context":{"age":1,"country":"x"},"activate":false,"most_costs":0.5})";
  expect(answer_to(static_cast<char>(0) + deferred, made).status == 200, "a decision with a note");
  const std::string whole = made.model->state().save();
  ByteReader reader(whole);
  reader.i64();
  const std::size_t engine = reader.text().size();
  const std::string rest = whole.substr(whole.size() - reader.left());
  expect(engine > 0 && rest.size() < whole.size(), "a snapshot has an engine");
  return {rest};
}

void model_snapshot(Bytes bytes) {
  static const std::string head = snapshot_head();
  const std::string given = head + std::string(bytes);
  const auto restored = serve::ModelState::restore(given);
  if (!restored) return expect(!restored.error().empty(), "a refusal says why");
  const auto again = serve::ModelState::restore(restored.value().save());
  expect(again.ok(), "what was read is written so that it can be read");
  expect(again.value().hash() == restored.value().hash(), "and is the same");
}

}  // namespace rein::fuzz
