// POST outcome, activate and cancel: the end of a decision.
#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "serve/names.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

constexpr std::size_t kMostOutcomes = 1000;  // outcomes of one request
// A larger bill is a mistake, and money is not counted exactly up there.
constexpr double kMostBill = 1e9;

std::string_view name_of(LearnResult result) {
  switch (result) {
    case LearnResult::kApplied:
      return "applied";
    case LearnResult::kDuplicate:
      return "duplicate";
    case LearnResult::kLate:
      return "late";
    case LearnResult::kForgotten:
      return "forgotten";
  }
  return "applied";
}

std::string result_text(std::uint64_t id, std::string_view result) {
  return fmt::format("{{\"id\":\"{:016x}\",\"result\":\"{}\"}}", id, result);
}

// By `id`, or by the caller's `request_id`.
std::uint64_t read_decision(Model& model, Fields& fields, bool token) {
  const Json* id = fields.find("id");
  const Json* request = fields.find("request_id");
  if ((id == nullptr) == (request == nullptr)) {
    throw invalid(fields.path("id"), fmt::format("found {}; accepted: one of id and request_id",
                                                 id == nullptr ? "neither" : "both"));
  }
  if (id != nullptr) return id_of(*id, fields.path("id"));
  return decision_of_request(model, text_of(*request, fields.path("request_id")), token,
                             "request_id");
}

Outcome read_outcome(Fields& fields, const Shape& shape) {
  Outcome outcome;
  const Json* reward = fields.find("reward");
  const Json* costs = fields.find("costs");
  if (reward != nullptr) outcome.reward = number_of(*reward, fields.path("reward"));
  if (costs != nullptr) {
    outcome.costs = read_costs(*costs, shape.costs, fields.path("costs"), kMissing);
    for (int i = 0; i < outcome.costs.size(); ++i) {
      if (is_missing(outcome.costs[i]) || outcome.costs[i] <= kMostBill) continue;
      throw invalid(fmt::format("{}.{}", fields.path("costs"), shape.costs[as_size(i)].name),
                    fmt::format("found {}; accepted: at most {}", outcome.costs[i], kMostBill));
    }
  }
  fields.done();
  if (reward == nullptr && costs == nullptr) {
    throw invalid(fields.path("reward"), "found neither reward nor costs; accepted: at least one");
  }
  return outcome;
}

void watch_outcome(Model& model, std::uint64_t id, const Outcome& outcome) {
  model.watch().outcomes.add(model.now());
  LastDecision* last = model.watch().last.find(id);
  if (last == nullptr) return;
  if (!is_missing(outcome.reward)) last->reward = outcome.reward;
  for (int i = 0; i < outcome.costs.size(); ++i) {
    if (!is_missing(outcome.costs[i])) last->costs[as_size(i)] = outcome.costs[i];
  }
  bool whole = !is_missing(last->reward);
  for (const double cost : last->costs) whole = whole && !is_missing(cost);
  if (whole) last->state = "settled";
  Seen* seen = model.watch().find(id);
  if (seen == nullptr) return;
  seen->reward = last->reward;
  std::ranges::copy(last->costs, seen->costs.begin());
  seen->state = last->state;
}

HttpResponse outcome_one(Model& model, const Json& body, const std::string& where, bool token) {
  Fields fields(body, where);
  const std::uint64_t id = read_decision(model, fields, token);
  const Outcome outcome = read_outcome(fields, model.engine().policy().shape());
  HttpResponse answer;
  apply_outcome(model, id, outcome, {}, answer);
  return answer;
}

}  // namespace

std::uint64_t decision_of_request(Model& model, const std::string& request_id, bool token,
                                  std::string_view field) {
  if (!token) {
    throw Refused(401, "token",
                  fmt::format("{}: found the caller's own id without a token; accepted: the id of "
                              "the decision, or a token, because others could guess it",
                              field),
                  std::string(field));
  }
  const RequestMark mark = mark_of(model.state().key(), request_id, "", "");
  const std::int64_t number = model.state().requests.find(mark);
  if (number > 0) {
    const Event event = model.entry_of_request(number);
    if (event.mark.same_request(mark) && event.decided) return event.id;
  }
  throw Refused(404, "unknown",
                fmt::format("{}: found {}; accepted: that of a decision of the last 24 hours",
                            field, shown(Json(request_id))),
                std::string(field));
}

std::string_view apply_outcome(Model& model, std::uint64_t id, const Outcome& outcome,
                               const RequestMark& mark, HttpResponse& answer) {
  std::string note;
  const auto learned = model.state().oversight.judges() ? learn_judged(model, id, outcome, note)
                                                        : model.engine().learn(id, outcome);
  if (!learned) throw refused(learned.failure());
  const std::string_view result = name_of(learned.value());
  if (answer.body.empty()) answer.body = result_text(id, result);
  model.push_record(id, mark, answer, std::move(note));
  watch_outcome(model, id, outcome);
  return result;
}

HttpResponse outcome(Model& model, const Ask& ask) {
  const Json body = read_json(ask.body);
  const Json::Object* object = object_in(body);
  if (!has_only(object, "outcomes")) return outcome_one(model, body, "", ask.token);
  const Json::List& outcomes = list_of((*object)[0].second, "outcomes");
  if (outcomes.size() > kMostOutcomes) {
    throw invalid("outcomes",
                  fmt::format("found {}; accepted: at most {}", outcomes.size(), kMostOutcomes));
  }
  return each_of(outcomes, "outcomes", "results", [&](const Json& one, const std::string& where) {
    return outcome_one(model, one, where, ask.token);
  });
}

HttpResponse activate(Model& model, const Ask& ask) {
  const Json body = read_json(ask.body);
  Fields fields(body);
  const std::uint64_t id = read_decision(model, fields, ask.token);
  fields.done();
  const bool waits = model.state().deferred.contains(id);
  if (waits) {
    model.push({.kind = Event::Kind::kActivated, .id = id});
  } else {
    taken(model.engine().open_record(id), "id");
  }
  return {.body = result_text(id, waits ? "applied" : "duplicate"), .headers = {}};
}

HttpResponse cancel(Model& model, const Ask& ask) {
  const Json body = read_json(ask.body);
  Fields fields(body);
  const std::uint64_t id = read_decision(model, fields, ask.token);
  fields.done();
  taken(model.engine().cancel(id), "id");
  const bool changed = !model.engine().record().empty();
  HttpResponse answer{.body = result_text(id, changed ? "applied" : "duplicate"), .headers = {}};
  model.push_record(id, {}, answer);
  if (Seen* seen = model.watch().find(id)) seen->state = "cancelled";
  if (LastDecision* last = model.watch().last.find(id)) last->state = "cancelled";
  return answer;
}

}  // namespace rein::serve
