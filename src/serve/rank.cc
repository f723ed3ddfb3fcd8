// The calls of the closed ranking service: rank, reward, activate. Its users change one URL.
//
// Features are free-form there. Each becomes a hashed number: a feature with a number adds it to its
// bucket, and one with a text counts 1 in the bucket of its name and text. An action's id within the
// engine is a place that its own id hashes to, so that an action keeps its place from round to round.
#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "schema/text_hash.h"
#include "serve/round_in.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

void add_feature(std::span<double> buckets, const std::string& name, double value) {
  const std::uint64_t hash = text_hash(name);
  buckets[bucket_of(hash, buckets.size())] += sign_of(hash) * value;
}

// Objects are namespaces; lists are their entries.
void add_features(std::span<double> buckets, const Json& given, const std::string& path) {
  if (buckets.empty()) return;
  if (const Json::Object* object = object_in(given)) {
    for (const auto& [name, value] : *object) {
      add_features(buckets, value, path.empty() ? name : fmt::format("{}.{}", path, name));
    }
  } else if (const auto* list = std::get_if<Json::List>(&given.is)) {
    for (const Json& each : *list) add_features(buckets, each, path);
  } else if (const auto* text = std::get_if<std::string>(&given.is)) {
    add_feature(buckets, path + "=" + *text, 1.0);
  } else if (const auto* truth = std::get_if<bool>(&given.is)) {
    if (*truth) add_feature(buckets, path, 1.0);
  } else if (!std::holds_alternative<std::monostate>(given.is)) {
    add_feature(buckets, path, number_of(given, path));
  }
}

struct RankRound {
  RoundIn in;
  std::vector<std::string> names;  // in the order of in.ids
};

bool excluded(const Json* list, const std::string& id) {
  if (list == nullptr) return false;
  const Json::List& ids = list_of(*list, "excludedActions");
  return std::ranges::any_of(
      ids, [&](const Json& each) { return text_of(each, "excludedActions") == id; });
}

// A place that no other action of the round has: the place that the id hashes to, or the next free
// place.
std::int32_t place_of(const std::string& id, std::span<const std::int32_t> taken_places, int most) {
  auto place = static_cast<std::int32_t>(bucket_of(text_hash(id), as_size(most)));
  while (std::ranges::find(taken_places, place) != taken_places.end()) place = (place + 1) % most;
  return place;
}

void read_rank_actions(Model& model, Fields& fields, RankRound& round) {
  const int most = model.engine().policy().shape().actions;
  const Json* barred = fields.find("excludedActions");
  const Json::List& actions = list_of(fields.get("actions"), "actions");
  if (actions.empty() || actions.size() > as_size(most)) {
    throw invalid("actions", fmt::format("found {}; accepted: 1 to {}", actions.size(), most));
  }
  const std::size_t size = as_size(model.state().hashed.features);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    Fields action(actions[i], fmt::format("actions[{}]", i));
    const std::string id = text_of(action.get("id"), action.path("id"));
    const Json* features = action.find("features");
    action.done();
    if (std::ranges::find(round.names, id) != round.names.end()) {
      throw invalid(action.path("id"),
                    fmt::format("found \"{}\" twice; accepted: each action once", id));
    }
    if (excluded(barred, id)) continue;
    round.names.push_back(id);
    round.in.ids.push_back(place_of(id, round.in.ids, most));
    round.in.features.resize(round.in.features.size() + size);
    if (features != nullptr) {
      add_features(std::span(round.in.features).last(size), *features, "");
    }
  }
  if (round.names.empty())
    throw invalid("excludedActions", "found every action; accepted: at least one is left");
}

std::string ranking_text(const Engine::Decision& decision, const RankRound& round,
                         const std::string& event) {
  std::vector<std::size_t> order(round.names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const bool first = static_cast<int>(a) == decision.place;
    const bool second = static_cast<int>(b) == decision.place;
    return first != second ? first : decision.probabilities[a] > decision.probabilities[b];
  });
  JsonWriter json;
  json.begin_object().key("ranking").begin_array();
  for (const std::size_t i : order) {
    json.begin_object().key("id").value(round.names[i]);
    json.key("probability").value(decision.probabilities[i]).end_object();
  }
  json.end_array().key("eventId").value(event.empty() ? hex(decision.id) : event);
  json.key("rewardActionId").value(round.names[as_size(decision.place)]).end_object();
  return json.str();
}

// The decision of an event: its id, or the eventId that the caller gave it.
std::uint64_t decision_of_event(Model& model, const std::string& event, bool token) {
  const bool ours =
      event.size() == 16 && event.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (ours) {
    const std::uint64_t id = std::stoull(event, nullptr, 16);
    if (model.engine().open_record(id).ok() ||
        model.engine().open_record(id).reason() != Reason::kUnknown) {
      return id;
    }
  }
  return decision_of_request(model, event, token, "eventId");
}

}  // namespace

HttpResponse rank(Model& model, const Ask& ask) {
  const Hashed& hashed = model.state().hashed;
  if (!hashed.on()) {
    throw Refused(409, "conflict",
                  "rank: the model has no hashed features; accepted: a model that "
                  "was made with \"hashed\"");
  }
  const Json body = read_json(ask.body);
  Fields fields(body);
  const std::string event = fields.text("eventId", "");
  if (event.size() > kMostRequestId) {
    throw invalid("eventId",
                  fmt::format("found {} bytes; accepted: 1 to {}", event.size(), kMostRequestId));
  }
  RequestMark mark;
  if (!event.empty()) mark = mark_of(model.state().key(), event, "rank", ask.body);
  HttpResponse before;
  if (model.answered(mark, before)) return before;
  RankRound round;
  round.in.context.resize(as_size(hashed.context));
  if (const Json* context = fields.find("contextFeatures")) {
    add_features(round.in.context, *context, "");
  }
  read_rank_actions(model, fields, round);
  const bool deferred = fields.truth("deferActivation", false);
  fields.done();
  return decide_round(model, round.in, {.mark = mark, .activate = !deferred, .status = 201},
                      [&](const Engine::Decision& decision, const Round&, const std::string&) {
                        return ranking_text(decision, round, event);
                      });
}

HttpResponse rank_event(Model& model, const Ask& ask) {
  const std::size_t slash = ask.rest.rfind('/');
  const std::string what = slash == std::string::npos ? "" : ask.rest.substr(slash + 1);
  const std::string event = ask.rest.substr(0, slash);
  HttpResponse done{.status = 204, .headers = {}};
  if (what == "activate") {
    const std::uint64_t id = decision_of_event(model, event, ask.token);
    if (model.state().deferred.contains(id)) {
      model.push({.kind = Event::Kind::kActivated, .id = id});
    }
    return done;
  }
  if (what != "reward") {
    throw Refused(404, "unknown", "path: accepted: events/ID/reward and events/ID/activate");
  }
  const Json body = read_json(ask.body);
  Fields fields(body);
  const double value = number_of(fields.get("value"), "value");
  fields.done();
  HttpResponse said;
  apply_outcome(model, decision_of_event(model, event, ask.token), {.reward = value, .costs = {}},
                {}, said);
  return done;
}

}  // namespace rein::serve
