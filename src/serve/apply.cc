// POST apply: a changed document. What can change while the model runs is changed and journaled; if anything
// else differs, nothing changes. GET actions.
#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"
#include "serve/difference.h"
#include "serve/model_size.h"
#include "serve/names.h"
#include "serve/verbs.h"

namespace rein::serve {
namespace {

// The engine made the change; its record becomes an entry.
void note_change(Model& model, const Result<>& done, const char* field) {
  taken(Result<>(done), field);
  model.push_record(0, {}, {});
}

const Budget* named(const std::vector<Budget>& budgets, std::string_view name) {
  const auto found = std::ranges::find(budgets, name, &Budget::name);
  return found == budgets.end() ? nullptr : &*found;
}

// Amounts of keys that are no longer named go back to the amount of the others.
void apply_amounts(Model& model, const Budget& was, const Budget& is) {
  Engine& engine = model.engine();
  if (was.amount != is.amount) note_change(model, engine.set_amount(is.name, is.amount), "budgets");
  const auto amount_in = [](const Budget& budget, std::string_view key) -> std::optional<double> {
    const auto found = std::ranges::find(budget.amounts, key, &KeyAmount::key);
    return found == budget.amounts.end() ? std::nullopt : std::optional(found->amount);
  };
  for (const Budget* each : {&is, &was}) {
    for (const KeyAmount& own : each->amounts) {
      const auto before = amount_in(was, own.key), after = amount_in(is, own.key);
      if (before == after || (each == &was && after)) continue;
      const Scope scope[] = {{is.scope, own.key}};
      note_change(model, engine.set_amount(is.name, after, scope), "budgets");
    }
  }
}

void apply_budgets(Model& model, const ModelPlan& was, const ModelPlan& is) {
  for (const Budget& budget : is.options.budgets) {
    const Budget* before = named(was.options.budgets, budget.name);
    if (before == nullptr) continue;
    apply_amounts(model, *before, budget);
    if (before->rounds != budget.rounds && budget.rounds > 0) {
      note_change(model, model.engine().set_rounds(budget.name, budget.rounds), "budgets");
    }
  }
}

// Additions and removals since the document was written: those that a request made stay.
void apply_actions(Model& model, const ModelPlan& was, const ModelPlan& is) {
  Engine& engine = model.engine();
  const auto has = [](const ModelPlan& plan, const std::string& name) {
    return std::ranges::find(plan.options.actions, name) != plan.options.actions.end();
  };
  for (const std::string& name : was.options.actions) {
    const auto id = engine.action_id(name);
    if (!has(is, name) && id) note_change(model, engine.remove_action(id.value()), "actions");
  }
  for (const std::string& name : is.options.actions) {
    if (has(was, name) || engine.action_id(name)) continue;
    Shape larger = engine.policy().shape();
    ++larger.actions;
    check_model_size(engine.policy().spec(), larger);
    taken(engine.add_action(name), "actions");
    model.push_record(0, {}, {});
  }
}

void apply_conduct(Model& model, const Json& document) {
  Engine& engine = model.engine();
  Fields fields(document);
  Conduct next;  // what the document does not say is as usual
  read_conduct(
      fields, [&](const Json& given) { return find_in(engine)(given, "baseline"); }, next);
  Event event{.kind = Event::Kind::kConduct};
  event.record = to_text(next);
  model.push(std::move(event));
}

void check_can_change(const std::vector<Difference>& found, const ModelPlan& was, const ModelPlan& is) {
  const bool all = std::ranges::all_of(found, &Difference::can_change);
  const bool names = was.options.actions.empty() == is.options.actions.empty();
  const bool counted = std::ranges::any_of(
      found, [&](const Difference& one) { return one.field == "actions" && is.options.actions.empty(); });
  if (all && names && !counted) return;
  throw Refused(409, "conflict", fmt::format("document: {}; {}", in_words(found), what_to_do(found)),
                found.empty() ? "document" : found.front().field);
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
  static_cast<void>(taken(make_engine(is)));  // refuses what could not be made either
  const auto changed = [&](std::string_view field) {
    return std::ranges::any_of(found, [&](const Difference& one) { return one.field == field; });
  };
  Engine& engine = model.engine();
  apply_budgets(model, was, is);
  if (changed("actions")) apply_actions(model, was, is);
  if (changed("most_open") || changed("expire_after")) {
    note_change(model, engine.set_limits(is.options.most_open, is.options.expire_after), "most_open");
  }
  if (changed("expected_costs") && engine.ids() == static_cast<std::int32_t>(is.shape.actions)) {
    note_change(model, engine.expect(is.expected), "expected_costs");
  }
  if (changed("mode") || changed("baseline") || changed("fallback")) apply_conduct(model, next);
  JsonWriter json;
  json.begin_object().key("changed").begin_array();
  for (const Difference& one : found) {
    json.begin_object().key("field").value(one.field).key("was").value(one.was);
    json.key("is").value(one.is).end_object();
  }
  json.end_array().end_object();
  if (!found.empty()) {
    Event event{.kind = Event::Kind::kDocument};
    event.record = next.str();
    model.push(std::move(event));
    model.state().document = next.str();
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
