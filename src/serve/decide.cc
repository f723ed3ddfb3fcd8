// POST decide: one round, several, or lines of them.
#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "http/log.h"
#include "serve/answer_size.h"
#include "serve/holding.h"
#include "serve/names.h"
#include "serve/round_in.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

constexpr std::size_t kMostRounds = 1000;  // of one request

std::string_view name_of(Holdout holdout) {
  switch (holdout) {
    case Holdout::kNone:
      return "none";
    case Holdout::kOutside:
      return "outside";
    case Holdout::kInside:
      return "inside";
    case Holdout::kBarred:
      return "barred";
  }
  return "none";
}

// The members of an answer besides the decision itself, which explain the decision later.
struct Circumstances {
  std::span<const BarredAction> dropped;
  std::string_view because;  // why the baseline answers; empty: the policy does
  bool fallback = false;     // ... because of a status, not of the mode
  std::int32_t would = -1;   // what the policy would have done
  double would_probability = 0.0;
};

// At most so many of them, and then how many there are in all.
void write_dropped(JsonWriter& json, const Engine& engine, std::span<const BarredAction> dropped,
                   std::size_t most) {
  json.key("dropped").begin_array();
  for (const BarredAction& one : dropped.first(std::min(most, dropped.size()))) {
    json.begin_object().key("action");
    write_action(json, engine, one.action);
    json.key("by").value(one.budget.empty() ? "most_costs" : one.budget);
    if (one.until >= 0) json.key("until").value(one.until);
    json.end_object();
  }
  json.end_array();
  if (dropped.size() > most) {
    json.key("dropped_in_all").value(static_cast<std::int64_t>(dropped.size()));
  }
}

void write_circumstances(JsonWriter& json, const Engine& engine, const Circumstances& found,
                         std::size_t most_dropped) {
  if (!found.dropped.empty()) write_dropped(json, engine, found.dropped, most_dropped);
  if (found.fallback) json.key("fallback").value(found.because);
  if (found.would < 0) return;
  json.key("would").begin_object().key("action");
  write_action(json, engine, found.would);
  json.key("probability").value(found.would_probability).end_object();
}

std::string answer_text(Model& model, const Engine::Decision& decision, const Round& round,
                        std::span<const Scope> scopes, const Circumstances& circumstances) {
  const Engine& engine = model.engine();
  JsonWriter json;
  json.begin_object();
  json.key("id").value(hex(decision.id));
  json.key("action");
  write_action(json, engine, decision.action);
  json.key("probability").value(decision.probability);
  json.key("probabilities").begin_array();
  for (const double p : decision.probabilities) json.value(p);
  json.end_array().key("actions").begin_array();
  for (int a = 0; a < round.actions; ++a) write_action(json, engine, round.id(a));
  json.end_array().key("price");
  write_costs(json, engine.policy().shape().costs, decision.prices);
  json.key("left").begin_object();
  const std::vector<BudgetState> states = taken(engine.budgets(scopes));
  for (const BudgetState& budget : states) {
    json.key(budget.name)
        .value(static_cast<double>(budget.limit - budget.spent - budget.held) / 1e6);
  }
  json.end_object();
  json.key("status").value(model.status());
  json.key("mode").value(name_of(model.state().conduct.mode));
  json.key("holdout").value(name_of(decision.holdout));
  write_circumstances(json, engine, circumstances, circumstances.dropped.size());
  json.end_object();
  return json.str();
}

std::string_view reason_of(const Engine::Decision& decision, const Circumstances& circumstances,
                           int offered) {
  if (!circumstances.because.empty()) return "baseline";
  if (decision.holdout == Holdout::kInside) return "control group";
  if (decision.fitting == 1 && offered > 1) return "only action that fits the budget";
  if (decision.place == decision.best) return "best score";
  return "explored";
}

void watch_decision(Model& model, const Engine::Decision& decision, const Round& round,
                    const RoundIn& in, const Circumstances& circumstances) {
  Seen& seen = model.watch().next();
  seen.id = decision.id;
  seen.at = model.now();
  seen.action = decision.action;
  seen.best = decision.best >= 0 ? round.id(decision.best) : -1;
  seen.probability = decision.probability;
  seen.prices = decision.prices;
  seen.ids = in.ids;
  seen.estimates.clear();
  for (int head = 0; decision.estimates != nullptr && head < decision.estimates->heads(); ++head) {
    const auto means = decision.estimates->mean(head);
    seen.estimates.insert(seen.estimates.end(), means.begin(), means.end());
  }
  seen.scopes = in.scopes;
  seen.reason = reason_of(decision, circumstances, round.actions);
  seen.reward = kMissing;
  const auto costs = static_cast<int>(model.engine().policy().shape().costs.size());
  seen.costs = Costs(costs, kMissing);  // a policy without a price has none of the prices
  seen.state = "open";
  LastDecision& last = model.watch().last.add(decision.id);
  last.at = seen.at;
  last.action = seen.action;
  last.best = seen.best;
  last.probability = seen.probability;
  last.costs.assign(seen.costs.begin(), seen.costs.end());
  last.scopes = in.scopes;
  last.reason = seen.reason;
  model.watch().decisions.add(model.now());
}

// Seconds until the first action fits all budgets that bar it now; -1 if no action fits at any time
// without an outcome.
std::int64_t retry_after(const Model& model, std::span<const BarredAction> dropped) {
  std::int64_t soonest = -1;
  for (const BarredAction& action : dropped) {
    if (action.until >= 0 && (soonest < 0 || action.until < soonest)) soonest = action.until;
  }
  return soonest < 0 ? -1 : std::max<std::int64_t>(1, soonest - model.now());
}

// The log says it once: from here on it is what the metric counts.
void tell_gave_way(Model& model) {
  const Engine& engine = model.engine();
  if (model.watch().told_gave_way || engine.gave_way_last().empty()) return;
  model.watch().told_gave_way = true;
  log("warning", "open decisions give way",
      {{"model", model.name()},
       {"most_open", engine.options().most_open},
       {"expire_after", engine.options().expire_after}});
}

std::string no_money(const Engine& engine, std::span<const BarredAction> dropped) {
  constexpr std::size_t kMost = 10;
  std::string text = "budget: no action fits";
  for (std::size_t i = 0; i < std::min(dropped.size(), kMost); ++i) {
    text += fmt::format("{} {} does not fit {}", i == 0 ? ":" : ",",
                        action_text(engine, dropped[i].action),
                        dropped[i].budget.empty() ? "most_costs" : dropped[i].budget);
  }
  return text + "; accepted: cheaper actions, or a request when there is money";
}

// Leaves only the baseline action in the round, and notes what the policy would do. In the mode online
// a round that does not offer it goes to the policy.
void leave_to_baseline(Model& model, RoundIn& in, Circumstances& found) {
  const Engine& engine = model.engine();
  const Conduct& conduct = model.state().conduct;
  if (conduct.mode == Mode::kShadow) {
    thread_local LookScratch scratch;
    const auto would = engine.look(in.round(), scratch, in.options());
    if (would) {
      found.would = would.value().action;
      found.would_probability = would.value().probability;
    }
  }
  if (!in.only(conduct.baseline, engine)) {
    if (conduct.mode != Mode::kOnline) {
      throw invalid("actions",
                    fmt::format("they do not have \"{}\", the baseline; accepted: rounds "
                                "that offer it, while the mode is {}",
                                action_text(engine, conduct.baseline), name_of(conduct.mode)));
    }
    found.because = {};
  }
  found.fallback = !found.because.empty() && conduct.mode == Mode::kOnline;
}

Circumstances look_around(Model& model, RoundIn& in) {
  Circumstances found;
  found.because = model.baseline_because();
  if (!found.because.empty()) leave_to_baseline(model, in, found);
  return found;
}

}  // namespace

// Seconds until there may be room for a decision. If no window ends in time and no decision
// expires, only outcomes make room, at an unknown time: then a minute. Outcomes may also make room
// long before a decision expires, so nobody is told to wait for more than an hour.
std::int64_t wait_for_room(Model& model, std::span<const Scope> scopes) {
  constexpr std::int64_t kUnknownWait = 60;
  constexpr std::int64_t kMostWait = 3600;
  const std::int64_t at = model.engine().room_at(scopes);
  return at < 0 ? kUnknownWait : std::clamp<std::int64_t>(at - model.now(), 1, kMostWait);
}

HttpResponse decide_round(Model& model, RoundIn& in, const DecideAsk& ask,
                          const WriteAnswer& write) {
  Engine& engine = model.engine();
  check_open_bytes(model);
  if (model.state().oversight.any_pause()) check_pause(model, in.options().scopes);
  Circumstances circumstances = look_around(model, in);
  const Round round = in.round();
  const DecideOptions options = in.options();
  auto decided = engine.decide(round, options);
  circumstances.dropped = engine.barred();
  if (!decided) {
    Refused why = refused(decided.failure());
    if (decided.reason() == Reason::kFull) why.retry_after = wait_for_room(model, options.scopes);
    if (decided.reason() != Reason::kBudget) throw why;
    Refused money(429, "budget", no_money(engine, circumstances.dropped));
    money.retry_after = retry_after(model, circumstances.dropped);
    throw money;
  }
  tell_gave_way(model);
  const Engine::Decision& decision = decided.value();
  HttpResponse answer{.status = ask.status, .headers = {}};
  answer.body = answer_text(model, decision, round, options.scopes, circumstances);
  if (write) answer.body = write(decision, round, answer.body);
  Event event{.id = decision.id, .decided = true, .deferred = !ask.activate, .mark = ask.mark};
  if (!circumstances.dropped.empty() || !circumstances.because.empty()) {
    JsonWriter note;
    note.begin_object();
    write_circumstances(note, engine, circumstances, kMostDroppedInNote);
    note.end_object();
    event.note = note.str();
  }
  if (!ask.mark.empty()) {
    event.status = answer.status;
    event.text = answer.body;
  }
  watch_decision(model, decision, round, in, circumstances);
  event.record = engine.record();
  model.decided(event.record.size());
  model.push(std::move(event));
  return answer;
}

namespace {

HttpResponse decide_one(Model& model, const Json& body, std::string_view text,
                        const std::string& where) {
  Fields fields(body, where);
  const RequestMark mark = read_mark(model, fields, "decide", text);
  HttpResponse before;
  if (model.answered(mark, before)) return before;
  RoundIn in(fields, model.engine());
  const bool activate = fields.truth("activate", true);
  fields.done();
  return decide_round(model, in, {.mark = mark, .activate = activate});
}

// How many actions a round offers; all of them if it names none.
std::size_t offered(const Json& round, const Engine& engine) {
  if (const Json::Object* object = object_in(round)) {
    const auto found =
        std::ranges::find(*object, "actions", [](const auto& each) { return each.first; });
    const auto* list =
        found == object->end() ? nullptr : std::get_if<Json::List>(&found->second.is);
    if (list != nullptr) return list->size();
  }
  return as_size(engine.policy().shape().actions);
}

// The answers of a batch, before any of its rounds is decided.
void check_batch(const Model& model, const Json::List& rounds, const Ask& ask) {
  const Engine& engine = model.state().engine;
  const std::size_t none = decision_bytes(engine, 0);
  const std::size_t each = decision_bytes(engine, 1) - none;
  std::size_t bytes = 0;
  for (const Json& round : rounds) bytes += none + each * offered(round, engine);
  if (bytes > kMostAnswerBytes) {
    throw invalid("rounds",
                  fmt::format("found {} rounds, whose answers have about {} MiB; accepted: {} MiB "
                              "together, about {} such rounds",
                              rounds.size(), bytes >> 20U, kMostAnswerBytes >> 20U,
                              std::max<std::size_t>(1, kMostAnswerBytes * rounds.size() / bytes)));
  }
  make_room(ask, bytes);
}

}  // namespace

HttpResponse decide(Model& model, const Ask& ask) {
  const Json body = read_json(ask.body);
  const Json::Object* object = object_in(body);
  if (!has_only(object, "rounds")) {
    make_room(ask, decision_bytes(model.engine(), offered(body, model.engine())));
    return decide_one(model, body, ask.body, "");
  }
  const Json::List& rounds = list_of((*object)[0].second, "rounds");
  if (rounds.size() > kMostRounds) {
    throw invalid("rounds",
                  fmt::format("found {}; accepted: at most {}", rounds.size(), kMostRounds));
  }
  check_batch(model, rounds, ask);
  return each_of(rounds, "rounds", "decisions", [&](const Json& round, const std::string& where) {
    return decide_one(model, round, round.str(), where);
  });
}

bool has_only(const Json::Object* object, std::string_view name) {
  if (object == nullptr) return false;
  const auto found = std::ranges::find(*object, name, [](const auto& each) { return each.first; });
  if (found == object->end()) return false;
  if (object->size() == 1) return true;
  throw invalid(std::string(name), "found beside other keys; accepted: alone");
}

HttpResponse each_of(std::span<const Json> list, std::string_view name, std::string_view result,
                     const std::function<HttpResponse(const Json&, const std::string&)>& run) {
  std::string body = fmt::format("{{\"{}\":[", result);
  for (std::size_t i = 0; i < list.size(); ++i) {
    HttpResponse one;
    try {
      one = run(list[i], fmt::format("{}[{}]", name, i));
    } catch (const Refused& why) {
      one = answer_of(why);
    }
    body +=
        fmt::format("{}{{\"status_code\":{},{}", i == 0 ? "" : ",", one.status, one.body.substr(1));
  }
  return {.body = body + "]}", .headers = {}};
}

}  // namespace rein::serve
