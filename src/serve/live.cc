// GET live: all that the live page shows of a model, as one object.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "http/url.h"
#include "serve/holding.h"
#include "serve/names.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

void write_numbers(JsonWriter& json, std::string_view name, const Costs& costs) {
  json.key(name).begin_array();
  for (const double cost : costs) json.value(cost);  // missing ones are null
  json.end_array();
}

void write_history(JsonWriter& json, const Engine& engine) {
  json.key("history").begin_array();
  for (const HistoryPoint& point : engine.history()) {
    json.begin_object().key("decided").value(point.decided).key("learned").value(point.learned);
    json.key("rewarded").value(point.rewarded);
    json.key("at").value(point.now).key("reward").value(point.reward);
    write_numbers(json, "spent", point.spent);
    write_numbers(json, "allowed", point.allowed);
    write_numbers(json, "prices", point.prices);
    json.key("plays").begin_array();
    for (const std::int64_t plays : point.plays) json.value(plays);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_seen(JsonWriter& json, const Engine& engine, const Seen& seen) {
  const std::size_t k = seen.ids.size();
  json.begin_object().key("id").value(hex(seen.id)).key("at").value(seen.at).key("action");
  write_action(json, engine, seen.action);
  json.key("probability").value(seen.probability).key("best");
  if (seen.best < 0) {
    json.null();
  } else {
    write_action(json, engine, seen.best);
  }
  write_numbers(json, "price", seen.prices);
  json.key("actions").begin_array();
  for (const std::int32_t id : seen.ids) write_action(json, engine, id);
  json.end_array().key("estimates").begin_array();
  for (std::size_t row = 0; k > 0 && (row + 1) * k <= seen.estimates.size(); ++row) {
    json.begin_array();
    for (std::size_t a = 0; a < k; ++a) json.value(seen.estimates[row * k + a]);
    json.end_array();
  }
  json.end_array();
  json.key("scopes").begin_object();
  for (const auto& [dimension, key] : seen.scopes) json.key(dimension).value(key);
  json.end_object().key("reward").value(seen.reward);
  write_numbers(json, "costs", seen.costs);
  const bool closed = seen.state == "open" && !engine.open_record(seen.id);
  json.key("state").value(closed ? "expired" : seen.state);
  json.key("reason").value(seen.reason).end_object();
}

void write_latency(JsonWriter& json, std::string_view name, const Latency& latency) {
  json.key(name).begin_object().key("p50").value(latency.quantile(0.5));
  json.key("p99").value(latency.quantile(0.99)).key("count").value(latency.count()).end_object();
}

// What people stopped, and whom nobody should believe, as sentences.
void write_stopped(JsonWriter& json, const Oversight& oversight) {
  const auto who = [](const Halt& stop) {
    if (!stop.caller.empty()) return fmt::format("caller {}", stop.caller);
    return stop.place.whole() ? std::string("the model") : fmt::format("{} {}", stop.place.dimension, stop.place.key);
  };
  constexpr std::size_t kShown = 20;
  std::size_t left = kShown;
  for (const auto& each : oversight.pauses()) {
    if (left-- == 0) break;
    json.value(fmt::format("{} is paused{}{}.", who(each.second), each.second.why.empty() ? "" : ": ", each.second.why));
  }
  left = kShown;
  for (const auto& each : oversight.quarantined()) {
    if (left-- == 0) break;
    json.value(fmt::format("{} is in quarantine: nothing of it is learned.", who(each.second)));
  }
  for (const Callers::State& each : oversight.callers().states()) {
    if (each.suspect.empty()) continue;
    json.value(fmt::format("caller {} is suspect ({}): nothing of it is learned.", each.name, each.suspect));
  }
}

void write_alarms(JsonWriter& json, const PolicyState& policy, std::span<const CostShape> costs,
                  const Oversight& oversight) {
  const auto head = [&](int i) {
    return i <= 0 ? std::string("the reward") : "cost " + costs[as_size(i) - 1].name;
  };
  json.key("alarms").begin_array();
  if (policy.alarm && policy.alarm->ringing) {
    json.value(fmt::format("The class of functions does not fit {} ({}).", head(policy.alarm->head),
                           policy.alarm->why));
  }
  if (policy.change && policy.change->times > 0) {
    json.value(fmt::format("{} changed {} times, last in round {}.", head(policy.change->head),
                           policy.change->times, policy.change->round));
  }
  write_stopped(json, oversight);
  json.end_array();
}

void write_counts(JsonWriter& json, const EngineState& state, const ModelWatch& watch) {
  json.key("counts").begin_object().key("decided").value(state.decided);
  json.key("open").value(state.open).key("learned").value(state.learned);
  json.key("expired").value(state.expired).key("cancelled").value(state.cancelled);
  json.key("late").value(state.late).key("refused").value(watch.refused_decisions).end_object();
}

}  // namespace

std::string live_object(Model& model, bool whole) {
  const Engine& engine = model.engine();
  const EngineState found = engine.state();
  const PolicyState policy = engine.brief_state();
  const ModelWatch& watch = model.watch();
  const auto& costs = engine.policy().shape().costs;
  JsonWriter json;
  json.begin_object().key("model").value(model.name()).key("at").value(model.now());
  json.key("mode").value(name_of(model.state().conduct.mode));
  json.key("policy").value(engine.policy().spec().str());
  json.key("status").value(name_of(policy.status));
  json.key("advice").value(advice(policy.status, policy.status_goal));
  write_alarms(json, policy, costs, model.state().oversight);
  json.key("actions").begin_array();
  for (const std::int32_t id : engine.offered()) write_action(json, engine, id);
  // All actions by id, including those that are no longer offered: the plays of the history are in
  // this order. With many added actions the history has no plays.
  json.end_array().key("known_actions").begin_array();
  const int shown = std::max(kHistoryActions, engine.policy().shape().actions);
  for (std::int32_t id = 0; id < engine.ids() && engine.ids() <= shown; ++id) {
    write_action(json, engine, id);
  }
  json.end_array().key("costs").begin_array();
  for (const CostShape& cost : costs) json.value(cost.name);
  json.end_array();
  write_counts(json, found, watch);
  json.key("reward").begin_object().key("total").value(policy.reward).key("mean");
  json.value(found.rewarded > 0 ? policy.reward / static_cast<double>(found.rewarded) : NAN);
  json.key("count").value(found.rewarded).end_object().key("billed");
  write_costs(json, costs, found.billed);
  json.key("held");
  write_costs(json, costs, found.reserved);
  json.key("price");
  write_costs(json, costs, watch.prices());
  json.key("budgets");
  write_budgets(json, model, {});
  json.key("keys");
  write_all_keys(json, model);
  json.key("rate").begin_object().key("decide").value(watch.decisions.per_second(model.now()));
  json.key("outcome").value(watch.outcomes.per_second(model.now())).end_object();
  json.key("latency").begin_object();
  write_latency(json, "decide", watch.decide);
  write_latency(json, "outcome", watch.outcome);
  json.end_object().key("journal").begin_object().key("entries").value(model.entries());
  json.key("snapshot_at_entry").value(model.snapshot_at());
  write_latency(json, "commit_ms", watch.commit);
  json.end_object();
  if (whole) {
    write_history(json, engine);
    json.key("latest").begin_array();
    for (std::size_t i = 0; i < ModelWatch::kSeen && static_cast<std::int64_t>(i) < watch.decided;
         ++i) {
      const auto at = static_cast<std::size_t>(watch.decided - 1) - i;
      write_seen(json, engine, watch.seen[at % ModelWatch::kSeen]);
    }
    json.end_array();
  }
  json.end_object();
  return json.str();
}

std::string stopped_live_object(const std::string& name, const std::string& why) {
  JsonWriter json;
  json.begin_object().key("model").value(name).key("status").value("stopped");
  json.key("advice").value(why).end_object();
  return json.str();
}

HttpResponse live(Model& model, const Ask& /*ask*/) {
  return {.body = live_object(model, true), .headers = {}};
}

namespace {

// All that a search looks through.
std::string words_of(const Engine& engine, const LastDecision& decision, std::string_view state) {
  std::string words =
      fmt::format("{} {} {} {}", hex(decision.id), action_text(engine, decision.action), state, decision.reason);
  for (const auto& [dimension, key] : decision.scopes) words += fmt::format(" {}={}", dimension, key);
  return words;
}

void write_last(JsonWriter& json, const Engine& engine, const LastDecision& decision, std::string_view state) {
  json.begin_object().key("id").value(hex(decision.id)).key("at").value(decision.at).key("action");
  write_action(json, engine, decision.action);
  json.key("probability").value(decision.probability).key("best");
  if (decision.best < 0) {
    json.null();
  } else {
    write_action(json, engine, decision.best);
  }
  json.key("scopes").begin_object();
  for (const auto& [dimension, key] : decision.scopes) json.key(dimension).value(key);
  json.end_object().key("reward").value(decision.reward);
  write_numbers(json, "costs", Costs(decision.costs));
  json.key("state").value(state).key("reason").value(decision.reason).end_object();
}

}  // namespace

HttpResponse decisions(Model& model, const Ask& ask) {
  std::string search;
  std::int64_t most = 100;
  for (const auto& [field, value] : taken(query_of(ask.query), "query")) {
    if (field == "search") {
      search = value;
    } else if (field == "most") {
      most = whole_in(field, value);
    } else {
      throw invalid("query", fmt::format("found {}={}; accepted: search=TEXT and most=", field, value));
    }
  }
  const Engine& engine = model.engine();
  const LastDecisions& last = model.watch().last;
  constexpr std::size_t kBytes = 600;  // of one in JSON, with a scope and some costs
  if (most > 20) make_room(ask, std::min(as_size(most), last.size()) * kBytes);
  JsonWriter json;
  json.begin_object().key("decisions").begin_array();
  std::int64_t found = 0;
  for (std::size_t back = 0; back < last.size(); ++back) {
    const LastDecision& decision = last.newest(back);
    const bool closed = decision.state == "open" && !engine.open_record(decision.id);
    const std::string_view state = closed ? "expired" : decision.state;
    if (!has_words(words_of(engine, decision, state), search)) continue;
    if (found++ < most) write_last(json, engine, decision, state);
  }
  json.end_array().key("found").value(found).key("searched").value(static_cast<std::int64_t>(last.size())).end_object();
  return {.body = json.str(), .headers = {}};
}

void write_summary(JsonWriter& json, Model& model) {
  const EngineState found = model.engine().state();
  json.begin_object().key("name").value(model.name());
  json.key("policy").value(model.engine().policy().spec().str());
  json.key("mode").value(name_of(model.state().conduct.mode));
  json.key("status").value(name_of(model.engine().brief_state().status));
  json.key("decided").value(found.decided).key("open").value(found.open).end_object();
}

}  // namespace rein::serve
