// GET state, budgets, open, explain: nothing changes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/size.h"
#include "http/url.h"
#include "rein/explain.h"
#include "rein/record.h"
#include "serve/answer_size.h"
#include "serve/holding.h"
#include "serve/names.h"
#include "serve/round_in.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

HttpResponse text(const JsonWriter& json) { return {.body = json.str(), .headers = {}}; }

double units(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }

// The part of its window that has passed; NaN if nobody can say. The first window of a model begins
// with the model.
double passed(const Budget& budget, const BudgetState& state, std::int64_t now,
              std::int64_t decided, std::int64_t began) {
  using Kind = Window::Kind;
  const auto share = [](double done, double all) { return all > 0.0 ? done / all : NAN; };
  const double length = static_cast<double>(state.last - state.first + 1);
  switch (budget.window.kind) {
    case Kind::kRun:
      return state.rounds_left > 0.0
                 ? share(static_cast<double>(decided),
                         static_cast<double>(decided) + state.rounds_left)
                 : share(static_cast<double>(decided), static_cast<double>(budget.rounds));
    case Kind::kRounds:
      return share(static_cast<double>(decided - state.first), length);
    case Kind::kRolling:
      return NAN;
    default:
      return share(static_cast<double>(now - std::max(began, state.first)),
                   static_cast<double>(state.last + 1 - std::max(began, state.first)));
  }
}

void write_or_null(JsonWriter& json, std::string_view name, double value) {
  json.key(name).value(value);  // numbers that are not finite are written as null
}

void write_budget(JsonWriter& json, const Budget& budget, const BudgetState& state,
                  std::int64_t now, std::int64_t decided, std::int64_t began) {
  constexpr double kTooEarly = 0.02;  // to tell what the whole window will spend
  using Kind = Window::Kind;
  const Kind kind = budget.window.kind;
  const bool in_time = kind != Kind::kRun && kind != Kind::kRounds && kind != Kind::kRolling;
  const double part = passed(budget, state, now, decided, began);
  const double limit = units(state.limit), spent = units(state.spent);
  json.begin_object();
  json.key("name").value(budget.name).key("cost").value(budget.cost);
  json.key("kind").value(budget.kind == BudgetKind::kHard ? "hard" : "steer");
  json.key("per").value(per_in_seconds(budget.window)).key("scope").value(budget.scope);
  json.key("limit").value(limit).key("spent").value(spent).key("held").value(units(state.held));
  json.key("left").value(units(state.limit - state.spent - state.held));
  json.key("window").value(state.window).key("first").value(state.first);
  json.key("last").value(state.last);
  write_or_null(json, "ends_in", in_time ? static_cast<double>(state.last - now + 1) : NAN);
  json.key("over_holds").value(state.over_holds);
  json.key("hold").value(budget.kind == BudgetKind::kHard ? hold_of(budget) : "expected");
  json.key("passed_holds").value(state.passed_holds).key("reserve").value(units(state.reserve));
  json.key("pace").value(state.pace);
  json.key("rounds_left").value(state.rounds_left).key("past").value(state.past);
  write_or_null(json, "plan", limit * std::min(part, 1.0));
  write_or_null(json, "projected", part >= kTooEarly ? spent / part : NAN);
  json.end_object();
}

void write_head(JsonWriter& json, const HeadExplanation& head, std::string_view name,
                std::span<const std::string> columns) {
  constexpr std::size_t kMostTerms = 20;
  json.begin_object().key("name").value(name);
  json.key("estimate").value(head.estimate).key("width").value(head.width);
  json.key("linear").value(head.linear).key("rest").value(head.rest);
  json.key("prior").value(head.prior).key("calibration").value(head.calibration);
  json.key("terms").begin_array();
  for (std::size_t i = 0; i < std::min(kMostTerms, head.terms.size()); ++i) {
    const Term& term = head.terms[i];
    std::string what;
    if (term.context >= 0) {
      what = as_size(term.context) < columns.size() ? columns[as_size(term.context)]
                                                    : fmt::format("context[{}]", term.context);
    }
    if (term.feature >= 0) {
      what += fmt::format("{}features[{}]", what.empty() ? "" : " x ", term.feature);
    }
    json.begin_object().key("name").value(what.empty() ? "constant" : what);
    json.key("weight").value(term.weight).key("value").value(term.value);
    json.key("part").value(term.part()).end_object();
  }
  json.end_array().end_object();
}

void write_explanation(JsonWriter& json, const Engine& engine, const Explanation& one,
                       std::span<const std::string> columns) {
  const auto& costs = engine.policy().shape().costs;
  json.begin_object().key("action");
  write_action(json, engine, one.action_id);
  json.key("chosen").value(one.chosen).key("probability").value(one.probability);
  json.key("score").value(one.score).key("bonus").value(one.bonus).key("price");
  write_costs(json, costs, one.prices);
  json.key("heads").begin_array();
  for (std::size_t h = 0; h < one.heads.size(); ++h) {
    write_head(json, one.heads[h], h == 0 ? std::string_view("reward") : costs[h - 1].name,
               columns);
  }
  json.end_array().end_object();
}

// The hash is made by a pass over the whole state, and all requests of the model wait for it: with
// 100 000 open decisions 0.15 s. So the hash is made for requests that ask for it, and not for the
// live page.
bool wants_hash(std::string_view query) {
  bool wanted = false;
  for (const auto& [name, value] : taken(query_of(query), "query")) {
    if (name != "hash" || (value != "0" && value != "1")) {
      throw invalid("query", fmt::format("found {}={}; accepted: hash=1", name, value));
    }
    wanted = value == "1";
  }
  return wanted;
}

}  // namespace

HttpResponse state(Model& model, const Ask& ask) {
  const bool with_hash = wants_hash(ask.query);
  const Engine& engine = model.engine();
  const EngineState found = engine.state();
  const PolicyState policy = engine.brief_state();
  const auto& costs = engine.policy().shape().costs;
  JsonWriter json;
  json.begin_object().key("name").value(model.name());
  json.key("now").value(found.now).key("decided").value(found.decided);
  json.key("open").value(found.open).key("learned").value(found.learned);
  json.key("rewarded").value(found.rewarded);
  json.key("open_runs").value(found.open_runs);
  json.key("expired").value(found.expired).key("gave_way").value(found.gave_way);
  json.key("cancelled").value(found.cancelled);
  json.key("late").value(found.late).key("too_late").value(found.too_late);
  json.key("clipped").value(found.clipped).key("remembered").value(found.remembered);
  json.key("partly").value(found.partly).key("without_reward").value(found.without_reward);
  json.key("deferred").value(static_cast<std::int64_t>(model.state().deferred.size()));
  json.key("keys").begin_object();
  for (const KeysState& keys : found.keys) {
    json.key(keys.dimension).begin_object().key("keys").value(keys.keys);
    json.key("most").value(keys.most).key("in_use").value(keys.in_use).end_object();
  }
  json.end_object();
  json.key("reward").value(policy.reward).key("billed");
  write_costs(json, costs, found.billed);
  json.key("reserved");
  write_costs(json, costs, found.reserved);
  json.key("price");
  write_costs(json, costs, engine.history().back().prices);  // of the last decision
  json.key("rounds").value(policy.rounds).key("warm").value(policy.warm);
  json.key("status").value(name_of(policy.status));
  json.key("advice").value(advice(policy.status, policy.status_goal));
  json.key("alarm");
  if (policy.alarm) {
    json.begin_object().key("ringing").value(policy.alarm->ringing);
    json.key("why").value(policy.alarm->why).key("head").value(policy.alarm->head).end_object();
  } else {
    json.null();
  }
  json.key("change");
  if (policy.change) {
    json.begin_object().key("times").value(policy.change->times);
    json.key("round").value(policy.change->round).key("head").value(policy.change->head);
    json.end_object();
  } else {
    json.null();
  }
  json.key("effective_size").value(policy.effective_size);
  json.key("mode").value(name_of(model.state().conduct.mode));
  json.key("entries").value(model.entries());
  const SnapshotWatch& snapshots = model.watch().snapshots;
  json.key("snapshot").begin_object().key("entry").value(model.snapshot_at());
  json.key("failures").value(snapshots.failures).key("why").value(snapshots.why).end_object();
  write_oversight(json, model);
  if (with_hash) json.key("hash").value(hex(model.state().hash()));
  json.end_object();
  return text(json);
}

void write_budgets(JsonWriter& json, Model& model, std::span<const Scope> scopes) {
  const Engine& engine = model.engine();
  const auto states = taken(engine.budgets(scopes), "scopes");
  const std::int64_t decided = engine.state().decided;
  json.begin_array();
  for (const BudgetState& state : states) {
    for (const Budget& budget : engine.options().budgets) {
      if (budget.name == state.name)
        write_budget(json, budget, state, model.now(), decided, model.state().began);
    }
  }
  json.end_array();
}

HttpResponse budgets(Model& model, const Ask& ask) {
  const auto pairs = taken(query_of(ask.query), "query");
  std::vector<Scope> scopes;
  for (const auto& [dimension, key] : pairs) {
    check_key(key, dimension);
    scopes.push_back({dimension, key});
  }
  JsonWriter json;
  json.begin_object().key("budgets");
  write_budgets(json, model, scopes);
  json.key("keys");
  write_all_keys(json, model);
  json.end_object();
  return text(json);
}

HttpResponse open(Model& model, const Ask& ask) {
  constexpr std::int64_t kMost = 10'000;
  std::int64_t most = 100;
  for (const auto& [name, value] : taken(query_of(ask.query), "query")) {
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), most);
    if (name != "most" || code != std::errc() || end != value.data() + value.size() || most < 1 ||
        most > kMost) {
      throw invalid("query",
                    fmt::format("found {}={}; accepted: most=1 to most={}", name, value, kMost));
    }
  }
  const Engine& engine = model.engine();
  const auto& costs = engine.policy().shape().costs;
  JsonWriter json;
  json.begin_object().key("open").begin_array();
  for (const OpenDecision& one : engine.open(most)) {
    json.begin_object().key("id").value(hex(one.id)).key("at").value(one.at).key("action");
    write_action(json, engine, one.action);
    json.key("reward").value(one.came.reward).key("costs");  // missing parts are null
    write_costs(json, costs, one.came.costs);
    json.end_object();
  }
  json.end_array().key("count").value(engine.state().open).end_object();
  return text(json);
}

namespace {

// The record of an open decision, or of one of the last that were made: its journal entry has it. One that
// offered an action which was removed since, and whose place another action has, cannot be explained.
const DecideRecord* record_of(Model& model, std::uint64_t id, DecideRecord& settled) {
  const Engine& engine = model.engine();
  const auto open = engine.open_record(id);
  if (open) return open.value();
  const std::int64_t number = model.state().entry_of(id);
  if (number < 0 || number > model.committed()) taken(Result<>(open.failure()), "id");
  const auto entries = taken(model.read_entries(number, number, 1), "id");
  const auto event = entries.empty() ? Result<Event>(open.failure()) : decode_event(entries.front());
  auto record = decode(taken(event, "id").record);
  settled = std::get<DecideRecord>(taken(std::move(record), "id"));
  taken(engine.check_offered(settled.round.view()), "id");
  return &settled;
}

}  // namespace

HttpResponse explain(Model& model, const Ask& ask) {
  const Engine& engine = model.engine();
  const std::uint64_t id = id_of(Json(ask.rest), "id");
  DecideRecord settled;
  const DecideRecord* record = record_of(model, id, settled);
  const std::size_t bytes = explanation_bytes(engine, as_size(record->offered));
  if (bytes > kMostAnswerBytes) {
    throw invalid("id", fmt::format("the explanation has about {} MiB; accepted: {} MiB: a decision "
                                    "with fewer actions, or a model with fewer features",
                                    bytes >> 20U, kMostAnswerBytes >> 20U));
  }
  make_room(ask, bytes);
  const auto found = taken(rein::explain(engine, *record, {.all = true}), "id");
  const std::vector<std::string> columns =
      engine.schema() != nullptr ? engine.schema()->names() : std::vector<std::string>();
  JsonWriter json;
  json.begin_object().key("id").value(hex(id)).key("action");
  const auto chosen = std::ranges::find(found, true, &Explanation::chosen);
  if (chosen == found.end()) {
    json.null();
  } else {
    write_action(json, engine, chosen->action_id);
  }
  json.key("actions").begin_array();
  for (const Explanation& one : found) write_explanation(json, engine, one, columns);
  json.end_array().end_object();
  std::string body = json.str();
  // The note has the dropped actions and their reasons from the time of the decision.
  if (const auto note = model.state().notes.find(id); note != model.state().notes.end()) {
    body.pop_back();
    body += fmt::format(",{}", std::string_view(note->second).substr(1));
  }
  return {.body = body, .headers = {}};
}

// Writes the spec that was asked for, and what it meant when the model was made.
void write_origin(JsonWriter& json, const Engine& engine) {
  const PolicyOrigin origin = engine.policy_origin();
  json.begin_object().key("asked").value(origin.asked).key("resolved").value(origin.resolved);
  json.key("meaning").value(static_cast<std::int64_t>(origin.meaning)).end_object();
}

// What holds now and may differ from the document: requests changed it.
void write_present(JsonWriter& json, Model& model) {
  const Engine& engine = model.engine();
  json.begin_object().key("budgets").begin_array();
  for (const Budget& budget : engine.present_budgets()) {
    json.begin_object().key("name").value(budget.name).key("amount");
    if (budget.amounts.empty()) {
      json.value(budget.amount);
    } else {
      json.begin_object();
      for (const KeyAmount& own : budget.amounts) json.key(own.key).value(own.amount);
      json.key("*").value(budget.amount).end_object();
    }
    json.key("rounds").value(budget.rounds).end_object();
  }
  json.end_array().key("actions").begin_array();
  for (const std::int32_t id : engine.offered()) write_action(json, engine, id);
  json.end_array().end_object();
}

HttpResponse document(Model& model, const Ask& /*ask*/) {
  const Conduct& conduct = model.state().conduct;
  JsonWriter json;
  json.begin_object().key("name").value(model.name());
  json.key("mode").value(name_of(conduct.mode)).key("baseline");
  if (conduct.baseline < 0) {
    json.null();
  } else {
    write_action(json, model.engine(), conduct.baseline);
  }
  json.key("fallback").begin_array();
  for (const std::string& status : conduct.fallback) json.value(status);
  json.end_array().key("policy");
  write_origin(json, model.engine());
  json.key("limits");
  write_limits(json, model);
  json.key("now");
  write_present(json, model);
  json.end_object();
  std::string body = json.str();
  body.pop_back();
  return {.body = body + ",\"document\":" + model.state().document + "}", .headers = {}};
}

}  // namespace rein::serve
