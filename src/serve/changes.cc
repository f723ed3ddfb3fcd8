// Changes of a running model: budgets, expected costs, actions, the mode, and rounds of a log to
// start from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "base/size.h"
#include "serve/model_size.h"
#include "serve/names.h"
#include "serve/round_in.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

// A change is answered the same way if it comes again under the same request_id.
struct Change {
  Change(Model& model, const Ask& ask)
      : body(read_json(ask.body)),
        fields(body),
        mark(read_mark(model, fields, ask.verb, ask.body)),
        repeated(model.answered(mark, answer)) {}

  Json body;
  Fields fields;
  RequestMark mark;
  HttpResponse answer;
  bool repeated;
};

std::vector<Scope> views_of(const std::vector<std::pair<std::string, std::string>>& scopes) {
  std::vector<Scope> views;
  for (const auto& [dimension, key] : scopes) views.push_back({dimension, key});
  return views;
}

void top_up_by(Model& model, const std::string& budget, double amount,
               std::span<const Scope> scopes) {
  const auto done = model.engine().top_up(budget, amount, scopes);
  if (done) return;
  Refused why = refused(done.failure());
  if (done.reason() == Reason::kFull) why.retry_after = wait_for_room(model, scopes);
  throw why;
}

// "*": the key has the amount of those that have none of their own again.
void set_key_amount(Model& model, const std::string& budget, const Json& amount,
                    std::span<const Scope> scopes) {
  const auto* text = std::get_if<std::string>(&amount.is);
  const bool others = text != nullptr && *text == "*";
  const auto to = others ? std::nullopt : std::optional(number_of(amount, "amount"));
  const auto done = model.engine().set_amount(budget, to, scopes);
  if (done) return;
  Refused why = refused(done.failure());
  if (done.reason() == Reason::kFull) why.retry_after = 60;  // until another key gives its amount up
  throw why;
}

void change_by(Model& model, Fields& fields, const std::string& budget,
               std::span<const Scope> scopes) {
  Engine& engine = model.engine();
  const Json* top_up = fields.find("top_up");
  const Json* amount = fields.find("amount");
  const Json* rounds = fields.find("rounds");
  const Json* window = fields.find("window");
  fields.done();
  const auto given = [](const Json* one) { return one != nullptr ? 1 : 0; };
  const int changes = given(top_up) + given(amount) + given(rounds) + given(window);
  if (changes != 1) {
    throw invalid("budget", fmt::format("found {} changes; accepted: one of top_up, amount, rounds "
                                        "and window",
                                        changes));
  }
  if (top_up != nullptr) {
    return top_up_by(model, budget, number_of(*top_up, "top_up"), scopes);
  }
  if (amount != nullptr) {
    if (!scopes.empty()) return set_key_amount(model, budget, *amount, scopes);
    return taken(engine.set_amount(budget, number_of(*amount, "amount")), "budget");
  }
  if (rounds != nullptr) {
    return taken(engine.set_rounds(budget, whole_of(*rounds, "rounds")), "budget");
  }
  if (text_of(*window, "window") != "new") {
    throw invalid("window", fmt::format("found {}; accepted: \"new\"", shown(*window)));
  }
  taken(engine.begin_window(budget), "budget");
}

// The schema observes the rows of a log before they are encoded for good.
void observe_rows(Model& model, std::deque<RoundIn>& rows) {
  Engine& engine = model.engine();
  const std::size_t columns = rows.empty() ? 0 : rows.front().row.size();
  std::vector<std::vector<Cell>> cells(columns);
  std::vector<ColumnValues> values(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    for (const RoundIn& in : rows) cells[i].push_back(in.row[i]);
    values[i].cells = cells[i];
  }
  taken(engine.observe(values), "context");
  model.push_record(0, {}, {});
  for (RoundIn& in : rows) taken(engine.schema()->encode(in.row, in.context), "context");
}

std::int32_t as_id(Engine& engine, const Json& given, const std::string& field) {
  return find_in(engine)(given, field);
}

}  // namespace

HttpResponse change_budget(Model& model, const Ask& ask) {
  Change change(model, ask);
  if (change.repeated) return change.answer;
  const std::string budget = text_of(change.fields.get("budget"), "budget");
  std::vector<std::pair<std::string, std::string>> scopes;
  if (const Json* given = change.fields.find("scopes")) scopes = read_scopes(*given, "scopes");
  const auto views = views_of(scopes);
  // Before anything changes: what is refused later would be in memory and not in the journal.
  taken(model.engine().budgets(views), "scopes");
  change_by(model, change.fields, budget, views);
  JsonWriter json;
  json.begin_object().key("budgets");
  write_budgets(json, model, views);
  json.end_object();
  change.answer.body = json.str();
  model.push_record(0, change.mark, change.answer);
  return change.answer;
}

HttpResponse expect(Model& model, const Ask& ask) {
  Change change(model, ask);
  if (change.repeated) return change.answer;
  Engine& engine = model.engine();
  const Shape& shape = engine.policy().shape();
  std::vector<double> rows;
  if (const Json* given = change.fields.find("expected_costs")) {
    const std::vector<std::int32_t> ids(engine.offered().begin(), engine.offered().end());
    const auto said = read_by_action(*given, ids, shape.costs, find_in(engine), "expected_costs");
    // The engine wants a row for every id. The rows of removed actions do not matter.
    const std::size_t m = shape.costs.size();
    for (std::int32_t id = 0; id < engine.ids(); ++id) {
      for (const CostShape& cost : shape.costs) {
        rows.push_back(std::clamp(0.0, cost.range.low, cost.range.high));
      }
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      std::copy_n(said.begin() + static_cast<std::ptrdiff_t>(i * m), m,
                  rows.begin() + static_cast<std::ptrdiff_t>(as_size(ids[i]) * m));
    }
  }
  change.fields.done();
  taken(engine.expect(rows), "expected_costs");
  change.answer.body = fmt::format("{{\"expected\":{}}}", !rows.empty());
  model.push_record(0, change.mark, change.answer);
  return change.answer;
}

HttpResponse add_action(Model& model, const Ask& ask) {
  Change change(model, ask);
  if (change.repeated) return change.answer;
  Engine& engine = model.engine();
  const auto& costs = engine.policy().shape().costs;
  const Json* name = change.fields.find("name");
  NewAction about;
  if (const Json* given = change.fields.find("largest_costs")) {
    about.largest_costs = read_costs(*given, costs, "largest_costs", NAN);
  }
  if (const Json* given = change.fields.find("expected_costs")) {
    about.expected_costs = read_costs(*given, costs, "expected_costs", NAN);
  }
  change.fields.done();
  std::string text;
  const auto* number = name != nullptr ? std::get_if<std::int64_t>(&name->is) : nullptr;
  if (engine.options().numbered && number == nullptr) {
    throw invalid("name",
                  fmt::format("found {}; accepted: a whole number, as the other actions have",
                              name != nullptr ? shown(*name) : "none"));
  }
  if (name != nullptr) text = number != nullptr ? std::to_string(*number) : text_of(*name, "name");
  Shape larger = engine.policy().shape();
  ++larger.actions;
  check_model_size(engine.policy().spec(), larger);
  const std::int32_t id = taken(engine.add_action(text, about), "name");
  JsonWriter json;
  json.begin_object().key("name");
  write_action(json, engine, id);
  json.end_object();
  change.answer = {.status = 201, .body = json.str(), .headers = {}};
  model.push_record(0, change.mark, change.answer);
  return change.answer;
}

HttpResponse remove_action(Model& model, const Ask& ask) {
  Engine& engine = model.engine();
  std::int32_t id = -1;
  try {
    id = as_id(engine, Json(ask.rest), "name");
  } catch (const Refused& why) {
    throw Refused(404, "unknown", why.what(), "name");
  }
  if (id == model.state().conduct.baseline) {
    throw Refused(409, "conflict",
                  "name: it is the baseline; accepted: another action, or this one after the "
                  "baseline has changed",
                  "name");
  }
  JsonWriter json;
  json.begin_object().key("name");
  write_action(json, engine, id);
  json.end_object();
  taken(engine.remove_action(id), "name");
  HttpResponse answer{.body = json.str(), .headers = {}};
  model.push_record(0, {}, answer);
  return answer;
}

namespace {

// Changes most_open and expire_after if the request has them. The entry for the limits comes before
// the entry for the conduct, which has the caller's mark.
void change_limits(Model& model, Fields& fields) {
  Engine& engine = model.engine();
  const Json* most_open = fields.find("most_open");
  const Json* expire_after = fields.find("expire_after");
  fields.done();
  if (most_open == nullptr && expire_after == nullptr) return;
  const auto given = [](const Json* value, const char* name, std::int64_t otherwise) {
    return value != nullptr ? whole_of(*value, name) : otherwise;
  };
  const EngineOptions& now = engine.options();
  taken(engine.set_limits(given(most_open, "most_open", now.most_open),
                          given(expire_after, "expire_after", now.expire_after)));
  model.push_record(0, {}, {});
}

// The wall clock is right, whatever the model's time is.
HttpResponse set_clock(Model& model, const Ask& ask, Change& change, const Json& to) {
  change.fields.done();
  if (text_of(to, "clock") != "now") {
    throw invalid("clock", fmt::format("found {}; accepted: \"now\"", shown(to)));
  }
  model.set_clock();
  change.answer = document(model, ask);
  // The request is remembered with an entry of its own: the conduct, which stays as it is.
  Event event{.kind = Event::Kind::kConduct, .mark = change.mark};
  if (!change.mark.empty()) {
    event.status = change.answer.status;
    event.text = change.answer.body;
  }
  event.record = to_text(model.state().conduct);
  model.push(std::move(event));
  return change.answer;
}

}  // namespace

HttpResponse change_conduct(Model& model, const Ask& ask) {
  Change change(model, ask);
  if (change.repeated) return change.answer;
  if (const Json* to = change.fields.find("clock")) return set_clock(model, ask, change, *to);
  Conduct next = model.state().conduct;
  read_conduct(
      change.fields, [&](const Json& given) { return as_id(model.engine(), given, "baseline"); },
      next);
  change_limits(model, change.fields);
  const Conduct before = std::exchange(model.state().conduct, next);
  const HttpResponse answer = document(model, ask);
  model.state().conduct = before;  // the entry changes the conduct, as in a replay
  Event event{.kind = Event::Kind::kConduct, .mark = change.mark};
  if (!change.mark.empty()) {
    event.status = answer.status;
    event.text = answer.body;
  }
  event.record = to_text(next);
  model.push(std::move(event));
  return answer;
}

HttpResponse warm_start(Model& model, const Ask& ask) {
  Change change(model, ask);
  if (change.repeated) return change.answer;
  Engine& engine = model.engine();
  const Json::List& list = list_of(change.fields.get("rounds"), "rounds");
  change.fields.done();
  if (list.size() > static_cast<std::size_t>(kMaxWarmRounds)) {
    throw invalid("rounds", fmt::format("found {}; accepted: at most {} per request", list.size(),
                                        kMaxWarmRounds));
  }
  std::deque<RoundIn> read;
  std::vector<LoggedRound> rounds;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Fields row(list[i], fmt::format("rounds[{}]", i));
    RoundIn& in = read.emplace_back(row, engine);
    const std::int32_t action = as_id(engine, row.get("action"), row.path("action"));
    const auto place = std::ranges::find(in.ids, action);
    if (place == in.ids.end()) {
      throw invalid(row.path("action"),
                    "found one that the round did not offer; accepted: one of its actions");
    }
    Outcome outcome;
    outcome.reward = row.number("reward", kMissing);
    if (const Json* costs = row.find("costs")) {
      outcome.costs =
          read_costs(*costs, engine.policy().shape().costs, row.path("costs"), kMissing);
    }
    row.done();
    if (engine.schema() != nullptr) {
      in.context.resize(as_size(engine.schema()->size()));
      taken(engine.schema()->encode(in.row, in.context), "context");
    }
    rounds.push_back({in.round(), static_cast<int>(place - in.ids.begin()), outcome});
  }
  taken(engine.check_logged(rounds), "rounds");
  if (engine.schema() != nullptr) observe_rows(model, read);
  const std::int64_t learned = taken(engine.warm_start(rounds), "rounds");
  change.answer.body = fmt::format("{{\"learned\":{}}}", learned);
  model.push_record(0, change.mark, change.answer);
  return change.answer;
}

}  // namespace rein::serve
