// POST runs, GET runs, GET runs/ID and DELETE runs/ID: budgets for one run of an agent (rein/agent_run.h).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/size.h"
#include "http/url.h"
#include "serve/answer_size.h"
#include "serve/names.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

double in_units(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }

void write_run(JsonWriter& json, const Engine& engine, const AgentRunState& run) {
  const auto& costs = engine.policy().shape().costs;
  json.begin_object().key("run").value(hex(run.id)).key("parent");
  if (run.parent == 0) {
    json.value(NAN);  // null: it is in no other run
  } else {
    json.value(hex(run.parent));
  }
  json.key("open").value(run.open).key("expired").value(run.expired);
  json.key("opened").value(run.opened).key("ends").value(run.ends);
  json.key("closed").value(run.open ? NAN : static_cast<double>(run.closed));
  json.key("decisions").value(run.decisions).key("waiting").value(run.waiting);
  json.key("costs").begin_object();
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const AgentRunState::Money& money = run.costs[i];
    const bool capped = money.limit >= 0;  // null: this cost has no cap
    json.key(costs[i].name).begin_object();
    json.key("limit").value(capped ? in_units(money.limit) : NAN);
    json.key("spent").value(in_units(money.spent)).key("held").value(in_units(money.held));
    json.key("left").value(capped ? in_units(money.limit - money.spent - money.held) : NAN);
    json.end_object();
  }
  json.end_object().end_object();
}

std::string run_text(const Engine& engine, std::uint64_t id) {
  JsonWriter json;
  write_run(json, engine, taken(engine.agent_run(id), "run"));
  return json.str();
}

std::int64_t whole_in(const std::string& name, const std::string& value, std::int64_t most) {
  std::int64_t found = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), found);
  if (code == std::errc() && end == value.data() + value.size() && found >= 0 && found <= most) return found;
  throw invalid("query", fmt::format("found {}={}; accepted: 0 to {}", name, value, most));
}

// The id in a path: "runs/ID". Others than 16 hex digits are no run's.
std::uint64_t run_in_path(const std::string& text) { return id_of(Json(text), "run", "a run"); }

}  // namespace

HttpResponse open_run(Model& model, const Ask& ask) {
  const Json body = read_json(ask.body);
  Fields fields(body);
  const RequestMark mark = read_mark(model, fields, "runs", ask.body);
  HttpResponse answer;
  if (model.answered(mark, answer)) return answer;
  Engine& engine = model.engine();
  NewAgentRun about;
  about.amounts = read_costs(fields.get("amounts"), engine.policy().shape().costs, "amounts", kMissing);
  about.expire_after = fields.whole("expire_after", about.expire_after);
  if (const Json* parent = fields.find("parent")) about.parent = id_of(*parent, "parent", "a run");
  fields.done();
  const auto opened = engine.open_run(about);
  if (!opened) {
    Refused why = refused(opened.failure());
    if (opened.reason() == Reason::kFull) {
      why.retry_after = std::max<std::int64_t>(1, engine.next_run_end() - model.now());
    }
    throw why;
  }
  answer.body = run_text(engine, opened.value());
  model.push_record(0, mark, answer);
  return answer;
}

HttpResponse close_run(Model& model, const Ask& ask) {
  Engine& engine = model.engine();
  const std::uint64_t id = run_in_path(ask.rest);
  const auto closed = engine.close_run(id);
  if (!closed) throw refused(closed.failure());
  HttpResponse answer{.body = run_text(engine, id), .headers = {}};
  model.push_record(0, {}, answer);
  return answer;
}

HttpResponse one_run(Model& model, const Ask& ask) {
  return {.body = run_text(model.engine(), run_in_path(ask.rest)), .headers = {}};
}

HttpResponse runs(Model& model, const Ask& ask) {
  constexpr std::int64_t kMostListed = 1000;
  bool only_open = false;
  std::int64_t first = 0, most = 100;
  for (const auto& [field, value] : taken(query_of(ask.query), "query")) {
    if (field == "open") {
      only_open = whole_in(field, value, 1) == 1;
    } else if (field == "first") {
      first = whole_in(field, value, INT64_MAX);
    } else if (field == "most") {
      most = whole_in(field, value, kMostListed);
    } else {
      throw invalid("query", fmt::format("found {}={}; accepted: open=1, first= and most=", field, value));
    }
  }
  const Engine& engine = model.engine();
  constexpr std::size_t kRunBytes = 300, kCostBytes = 200;  // of one run in JSON
  make_room(ask, static_cast<std::size_t>(most) * (kRunBytes + kCostBytes * engine.policy().shape().costs.size()));
  JsonWriter json;
  json.begin_object().key("open").value(engine.state().open_runs).key("runs").begin_array();
  for (const AgentRunState& run : engine.agent_runs(only_open, first, most)) write_run(json, engine, run);
  json.end_array().end_object();
  return {.body = json.str(), .headers = {}};
}

}  // namespace rein::serve
