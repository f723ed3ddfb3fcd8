// POST apply: a changed document. What can change while the model runs is changed and journaled; if anything
// else differs, nothing changes. GET actions.
#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "serve/apply_steps.h"
#include "serve/model_size.h"
#include "serve/names.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

void check_can_change(const std::vector<Difference>& found, const ModelPlan& was, const ModelPlan& is) {
  const bool all = std::ranges::all_of(found, &Difference::can_change);
  const bool names = was.options.actions.empty() == is.options.actions.empty();
  const bool counted = std::ranges::any_of(
      found, [&](const Difference& one) { return one.field == "actions" && is.options.actions.empty(); });
  if (all && names && !counted) return;
  throw Refused(409, "conflict", fmt::format("document: {}; {}", in_words(found), what_to_do(found)),
                found.empty() ? "document" : found.front().field);
}

// How decisions are answered under the new document. Where it says nothing new, what requests said stays.
Conduct next_conduct(const Model& model, const Engine& engine, const Json& document, bool changed) {
  Conduct next = model.state().conduct;
  if (changed) {
    next = {};  // what the document does not say is as usual
    Fields fields(document);
    read_conduct(
        fields, [&](const Json& given) { return find_in(engine)(given, "baseline"); }, next);
  }
  const auto offered = engine.offered();
  if (next.baseline >= 0 && std::ranges::find(offered, next.baseline) == offered.end()) {
    throw Refused(409, "conflict",
                  fmt::format("actions: {} is the baseline, which a request has set; accepted: another action, or "
                              "this one after the baseline has changed",
                              action_text(engine, next.baseline)),
                  "actions");
  }
  return next;
}

// Takes the steps with a copy of the engine first, because one that is refused must leave nothing of those
// before it. A step alone changes nothing if it is refused.
Conduct take_steps(Model& model, const std::vector<Step>& steps, const Json& document, bool conducts,
                   bool only_check) {
  Engine& engine = model.engine();
  const bool alone = steps.size() == 1 && std::string_view(steps.front().field) != "actions" && !conducts &&
                     !only_check;
  Conduct next = model.state().conduct;
  if (!alone) {
    Engine trial = taken(Engine::restore(engine.snapshot()), "document");
    for (const Step& step : steps) taken(step.take(trial), step.field);
    next = next_conduct(model, trial, document, conducts);
  }
  if (only_check) return next;
  for (const Step& step : steps) {
    const Result<> done = step.take(engine);
    if (alone) taken(Result<>(done), step.field);
    done.check();  // the copy took it
    model.push_record(0, {}, {});
  }
  return next;
}

}  // namespace

HttpResponse apply(Model& model, const Ask& ask) {
  const Json body = read_json(ask.body);
  Fields fields(body);
  const Json& next = fields.get("document");
  fields.done();
  const Json before = read_json(model.state().document);
  const std::vector<Difference> found = differences(before, next);
  const ModelPlan was = read_document(before), is = read_document(next);
  check_can_change(found, was, is);
  check_model_size(is);
  static_cast<void>(taken(make_engine(is)));  // refuses what could not be made either
  const bool conducts = std::ranges::any_of(found, [](const Difference& one) {
    return one.field == "mode" || one.field == "baseline" || one.field == "fallback";
  });
  const auto steps = steps_between(was, is, found, model.engine());
  if (!steps.empty() || conducts) {
    const Conduct conduct = take_steps(model, steps, next, conducts, ask.only_check);
    if (conducts && !ask.only_check) {
      Event event{.kind = Event::Kind::kConduct};
      event.record = to_text(conduct);
      model.push(std::move(event));
    }
  }
  JsonWriter json;
  json.begin_object().key("changed").begin_array();
  for (const Difference& one : found) {
    json.begin_object().key("field").value(one.field).key("was").value(one.was);
    json.key("is").value(one.is).end_object();
  }
  json.end_array().end_object();
  if (!found.empty() && !ask.only_check) {
    Event event{.kind = Event::Kind::kDocument};
    event.record = next.str();
    model.push(std::move(event));
    model.state().document = next.str();
    model.read_keep();
  }
  return {.body = json.str(), .headers = {}};
}

HttpResponse actions(Model& model, const Ask& /*ask*/) {
  const Engine& engine = model.engine();
  const HistoryPoint now = engine.history().back();
  JsonWriter json;
  json.begin_object().key("actions").begin_array();
  for (const std::int32_t id : engine.offered()) {
    json.begin_object().key("name");
    write_action(json, engine, id);
    json.key("plays");
    if (as_size(id) < now.plays.size()) {
      json.value(now.plays[as_size(id)]);
    } else {
      json.null();  // with many actions they are not counted
    }
    json.key("baseline").value(id == model.state().conduct.baseline).end_object();
  }
  json.end_array().end_object();
  return {.body = json.str(), .headers = {}};
}

}  // namespace rein::serve
