// The entry points of the service: bodies of requests, settings, journal entries, snapshots of models.
#include "fuzz/targets.h"
#include "journal/memory_journal.h"
#include "serve/document.h"
#include "serve/model.h"
#include "serve/settings.h"
#include "serve/verbs.h"

namespace rein::fuzz {
namespace {

constexpr const char* kDocument = R"({
  "actions": ["small", "large"], "context": {"age": "number", "country": "category"}, "costs": {"dollars": [0, 5]},
  "reward": [0, 1], "expire_after": 50, "remember": 8, "most_open": 8, "seed": 3, "baseline": "small",
  "largest_costs": {"small": 0.1, "large": 1},
  "budgets": [{"name": "day", "cost": "dollars", "amount": 9, "hard": true, "per": "100 ticks"},
              {"name": "tenant", "cost": "dollars", "amount": 9, "per": "40 ticks", "scope": "tenant"}]})";
constexpr const char* kRanks =
    R"({"actions": 4, "hashed": {"context": 4, "features": 4}, "seed": 3})";
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

std::vector<std::string> body_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < kCount; ++i)
    seeds.push_back(static_cast<char>(i) + std::string(kCalls[i].seed));
  return seeds;
}

void body(Bytes bytes) {
  if (bytes.empty()) return;
  const Call& call = kCalls[static_cast<unsigned char>(bytes[0]) % kCount];
  const std::string_view verb = call.verb;
  Made made = made_model(verb == "rank" || verb == "events");
  serve::Model& model = *made.model;
  const std::uint64_t before = model.state().hash();
  const std::int64_t entries = model.entries();
  const auto got = model.call({.method = call.method,
                               .verb = call.verb,
                               .rest = call.rest,
                               .query = {},
                               .body = with_id(bytes.substr(1), made.id),
                               .token = true});
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
  // What was written is folded to the same state.
  serve::ModelState again = serve::ModelState::restore(model.state().save()).value();
  expect(again.hash() == model.state().hash(), "a state is restored as it was");
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

std::vector<std::string> model_snapshot_seeds() {
  return {made_model(false).model->state().save(), made_model(true).model->state().save()};
}

void model_snapshot(Bytes bytes) {
  const auto restored = serve::ModelState::restore(bytes);
  if (!restored) return expect(!restored.error().empty(), "a refusal says why");
  expect(restored.value().save() == bytes, "what was read is written the same");
  (void)restored.value().hash();
}

}  // namespace rein::fuzz
