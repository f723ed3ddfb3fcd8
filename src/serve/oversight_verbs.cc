// GET notices; POST pause, resume and quarantine; and what they mean for decisions and outcomes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "base/size.h"
#include "http/url.h"
#include "serve/names.h"
#include "serve/round_in.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

constexpr std::size_t kMostWhy = 500;  // bytes of a reason

std::int64_t number_in(const std::string& name, const std::string& value, std::int64_t most) {
  std::int64_t found = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), found);
  if (code == std::errc() && end == value.data() + value.size() && found >= 0 && found <= most) return found;
  throw invalid("query", fmt::format("found {}={}; accepted: 0 to {}", name, value, most));
}

// The key that scopes name: one, of a scope that a budget has.
Place read_place(const Engine& engine, const Json& given) {
  const auto scopes = read_scopes(given, "scopes");
  if (scopes.size() != 1) {
    throw invalid("scopes", fmt::format("found {}; accepted: one, as {{\"tenant\":\"acme\"}}", scopes.size()));
  }
  const Scope scope[] = {{scopes[0].first, scopes[0].second}};
  const ScopeKeys keys = taken(engine.keys_of(scope), "scopes");
  const int dimension = engine.dimension_of(scopes[0].first);
  return {.dimension = scopes[0].first,
          .key = scopes[0].second,
          .digest = hex(keys[as_size(dimension)])};
}

// A stop that is there already is found by the name that notices show, too: "#" and the beginning of the digest.
void find_shown(const std::map<std::string, Halt>& stops, Place& place) {
  for (const auto& each : stops) {
    const Place& other = each.second.place;
    if (other.dimension == place.dimension && place.key == "#" + other.digest.substr(0, 16)) place = other;
  }
}

struct HaltAsk {
  Json body;
  Fields fields;
  RequestMark mark;
  HttpResponse answer;
  bool repeated;
  Halt stop;

  HaltAsk(Model& model, const Ask& ask)
      : body(read_json(ask.body)),
        fields(body),
        mark(read_mark(model, fields, ask.verb, ask.body)),
        repeated(model.answered(mark, answer)) {
    if (repeated) return;
    stop.by = ask.by;
    stop.at = model.now();
    stop.why = fields.text("why", "");
    if (stop.why.size() > kMostWhy) {
      throw invalid("why", fmt::format("found {} bytes; accepted: at most {}", stop.why.size(), kMostWhy));
    }
    if (const Json* scopes = fields.find("scopes")) stop.place = read_place(model.engine(), *scopes);
  }
};

HttpResponse make_halt(Model& model, HaltAsk& ask, std::string_view what, bool changes) {
  const std::string_view result = changes ? what : "unchanged";
  ask.answer = {.body = fmt::format("{{\"result\":\"{}\"}}", result), .headers = {}};
  if (!changes) return ask.answer;
  JsonWriter json;
  json.begin_object().key("what").value(what);
  write_halt(json, ask.stop);
  json.end_object();
  model.push_notice(json.str(), ask.mark, ask.answer);
  return ask.answer;
}

}  // namespace

HttpResponse notices(Model& model, const Ask& ask) {
  std::int64_t after = 0, most = 100;
  for (const auto& [name, value] : taken(query_of(ask.query), "query")) {
    if (name == "after") {
      after = number_in(name, value, INT64_MAX);
    } else if (name == "most") {
      most = number_in(name, value, static_cast<std::int64_t>(Oversight::kKeptNotices));
    } else {
      throw invalid("query", fmt::format("found {}={}; accepted: after=NUMBER, most=COUNT", name, value));
    }
  }
  const Oversight& oversight = model.state().oversight;
  const auto& kept = oversight.notices();
  std::string body = "{\"notices\":[";
  for (const Notice& each : kept) {
    if (each.number <= after || most-- <= 0) continue;
    if (body.back() == '}') body += ',';
    body += notice_text(each, model.name(), model.state().began);
  }
  body += fmt::format("],\"first\":{},\"last\":{}}}", kept.empty() ? 0 : kept.front().number, oversight.count());
  return {.body = body, .headers = {}};
}

HttpResponse pause(Model& model, const Ask& ask) {
  HaltAsk change(model, ask);
  if (change.repeated) return change.answer;
  change.fields.done();
  const bool there = model.state().oversight.pauses().contains(halt_key(change.stop));
  return make_halt(model, change, "paused", !there);
}

HttpResponse resume(Model& model, const Ask& ask) {
  HaltAsk change(model, ask);
  if (change.repeated) return change.answer;
  change.fields.done();
  const auto& pauses = model.state().oversight.pauses();
  find_shown(pauses, change.stop.place);
  return make_halt(model, change, "resumed", pauses.contains(halt_key(change.stop)));
}

HttpResponse quarantine(Model& model, const Ask& ask) {
  HaltAsk change(model, ask);
  if (change.repeated) return change.answer;
  change.stop.caller = change.fields.text("caller", "");
  const bool lift = change.fields.truth("lift", false);
  change.fields.done();
  if (change.stop.caller.empty() == change.stop.place.whole()) {
    throw invalid("caller", "accepted: one of caller, the name of a token, and scopes, as {\"tenant\":\"acme\"}");
  }
  const Oversight& oversight = model.state().oversight;
  find_shown(oversight.quarantined(), change.stop.place);
  const bool there = oversight.quarantined().contains(halt_key(change.stop));
  const bool suspect = !oversight.callers().suspect(change.stop.caller).empty();
  return make_halt(model, change, lift ? "lifted" : "quarantined", lift ? there || suspect : !there);
}

void check_pause(const Model& model, std::span<const Scope> scopes) {
  const Halt* stop = model.state().oversight.pause_for(model.state().engine, scopes);
  if (stop == nullptr) return;
  const Place& place = stop->place;
  const std::string who =
      place.whole() ? fmt::format("model {}", model.name()) : fmt::format("{} \"{}\"", place.dimension, place.key);
  throw Refused(403, "paused",
                fmt::format("{}: paused since {}{}{}{}; accepted: a request after somebody with the role admin "
                            "asked POST /v1/models/{}/resume{}",
                            who, stop->at, stop->by.empty() ? "" : " by " + stop->by,
                            stop->why.empty() ? "" : ": ", stop->why, model.name(),
                            place.whole() ? "" : fmt::format(" with scopes {{\"{}\":\"{}\"}}", place.dimension,
                                                             place.key)),
                place.whole() ? "" : "scopes");
}

namespace {

// By the name of the token, or by the key of a scope.
std::string caller_of(const Model& model, const ScopeKeys& keys) {
  const CallersPlan& plan = model.state().oversight.plan().callers;
  const Ask* ask = model.asked();
  const std::string token = ask == nullptr || ask->by.empty() ? "service" : ask->by;
  if (!plan.on() || plan.by == "token") return token;
  const Engine& engine = model.state().engine;
  const auto& budgets = engine.options().budgets;
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    if (budgets[i].scope != plan.by) continue;
    const auto account = engine.account(static_cast<int>(i), keys);
    if (!account) return "";
    if (!account->key.name.empty()) return account->key.name;
    return "#" + hex(account->key.key).substr(0, 16);
  }
  return "";
}

std::string token_of(const Model& model) {
  const Ask* ask = model.asked();
  return ask == nullptr || ask->by.empty() ? "service" : ask->by;
}

bool same_outcome(const Outcome& a, const Outcome& b) {
  const auto same = [](double x, double y) { return x == y || (is_missing(x) && is_missing(y)); };
  bool all = same(a.reward, b.reward) && a.costs.size() == b.costs.size();
  for (int i = 0; all && i < a.costs.size(); ++i) all = same(a.costs[i], b.costs[i]);
  return all;
}

}  // namespace

Result<LearnResult> learn_judged(Model& model, std::uint64_t id, const Outcome& outcome, std::string& note) {
  Engine& engine = model.engine();
  const auto open = engine.open_record(id);
  if (!open) return engine.learn(id, outcome);  // nothing of it is learned
  const Oversight& oversight = model.state().oversight;
  const ScopeKeys keys = open.value()->keys;
  const int m = static_cast<int>(engine.policy().shape().costs.size());
  Report report{.caller = caller_of(model, keys),
                .action = open.value()->round.view().id(open.value()->decision.action),
                .outcome = outcome};
  if (report.outcome.costs.empty()) report.outcome.costs = Costs(m, kMissing);
  Outcome lesson = report.outcome;
  const bool compared = oversight.plan().callers.on() && !report.caller.empty();
  if (oversight.is_quarantined(token_of(model), engine, keys) ||
      oversight.is_quarantined(report.caller, engine, keys)) {
    lesson = {.costs = Costs(m, kMissing)};
  } else if (compared) {
    lesson = oversight.callers().lesson(oversight.plan().callers, report);
  }
  report.learned = !same_outcome(lesson, {.costs = Costs(m, kMissing)});
  const auto learned = same_outcome(lesson, report.outcome) ? engine.learn(id, outcome)
                                                            : engine.learn(id, outcome, lesson);
  if (learned && compared && learned.value() == LearnResult::kApplied) note = report_text(report);
  return learned;
}

void write_oversight(JsonWriter& json, const Model& model) {
  const Oversight& oversight = model.state().oversight;
  json.key("notices").value(oversight.count());
  json.key("paused");
  write_halts(json, oversight.pauses());
  json.key("quarantined");
  write_halts(json, oversight.quarantined());
  json.key("callers").begin_array();
  for (const Callers::State& each : oversight.callers().states()) {
    json.begin_object().key("caller").value(each.name).key("reports").value(each.reports);
    json.key("beyond").value(each.beyond).key("suspect");
    if (each.suspect.empty()) {
      json.null();
    } else {
      json.value(each.suspect);
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace rein::serve
