#include "serve/apply_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "base/size.h"
#include "serve/model_size.h"
#include "serve/names.h"

namespace rein::serve {
namespace {

const Budget* named(const std::vector<Budget>& budgets, std::string_view name) {
  const auto found = std::ranges::find(budgets, name, &Budget::name);
  return found == budgets.end() ? nullptr : &*found;
}

// Amounts of keys that are no longer named go back to the amount of the others.
void add_amounts(const Budget& was, const Budget& is, std::vector<Step>& steps) {
  const auto add = [&](std::optional<double> amount, const std::string* key) {
    steps.push_back({"budgets", [&is, amount, key](Engine& engine) {
                       if (key == nullptr) return engine.set_amount(is.name, *amount);
                       const Scope scope[] = {{is.scope, *key}};
                       return engine.set_amount(is.name, amount, scope);
                     }});
  };
  if (was.amount != is.amount) add(is.amount, nullptr);
  const auto amount_in = [](const Budget& budget, std::string_view key) -> std::optional<double> {
    const auto found = std::ranges::find(budget.amounts, key, &KeyAmount::key);
    return found == budget.amounts.end() ? std::nullopt : std::optional(found->amount);
  };
  for (const Budget* each : {&is, &was}) {
    for (const KeyAmount& own : each->amounts) {
      const auto before = amount_in(was, own.key), after = amount_in(is, own.key);
      if (before != after && !(each == &was && after)) add(after, &own.key);
    }
  }
}

void add_budgets(const ModelPlan& was, const ModelPlan& is, std::vector<Step>& steps) {
  for (const Budget& budget : is.options.budgets) {
    const Budget* before = named(was.options.budgets, budget.name);
    if (before == nullptr) continue;
    add_amounts(*before, budget, steps);
    if (before->rounds == budget.rounds || budget.rounds <= 0) continue;
    steps.push_back({"budgets", [&budget](Engine& engine) {
                       return engine.set_rounds(budget.name, budget.rounds);
                     }});
  }
}

bool has(const ModelPlan& plan, std::string_view name) {
  return std::ranges::find(plan.options.actions, name) != plan.options.actions.end();
}

// What the document expects an action to cost, which is in its list.
std::span<const double> row_of(const ModelPlan& is, std::string_view name) {
  const std::size_t m = is.shape.costs.size();
  const auto at = std::ranges::find(is.options.actions, name) - is.options.actions.begin();
  return std::span(is.expected).subspan(as_size(static_cast<std::int64_t>(at)) * m, m);
}

Result<> add_action(const ModelPlan& is, const std::string& name, Engine& engine) {
  Shape larger = engine.policy().shape();
  ++larger.actions;
  check_model_size(engine.policy().spec(), larger);
  NewAction about;
  if (engine.expects() && !is.expected.empty()) about.expected_costs = Costs(row_of(is, name));
  const auto added = engine.add_action(name, about);
  return added ? Result<>() : Result<>(added.failure());
}

// Additions and removals since the document was written: those that a request made stay. An engine always
// has an action, so those that are new come first where all others go.
void add_actions(const ModelPlan& was, const ModelPlan& is, const Engine& engine,
                 std::vector<Step>& steps) {
  std::vector<Step> removals, additions;
  for (const std::string& name : was.options.actions) {
    if (has(is, name) || !engine.action_id(name)) continue;
    removals.push_back({"actions", [&name](Engine& of) -> Result<> {
                          const auto id = of.action_id(name);
                          return id ? of.remove_action(id.value()) : Result<>(id.failure());
                        }});
  }
  for (const std::string& name : is.options.actions) {
    if (has(was, name) || engine.action_id(name)) continue;
    additions.push_back(
        {"actions", [&is, &name](Engine& of) { return add_action(is, name, of); }});
  }
  const bool all_go = removals.size() == engine.offered().size();
  for (auto* next : all_go ? std::array{&additions, &removals} : std::array{&removals, &additions}) {
    std::ranges::move(*next, std::back_inserter(steps));
  }
}

// A row for every id that the engine gave. Those of removed actions do not matter.
Result<> expect(const ModelPlan& is, Engine& engine) {
  const auto& costs = is.shape.costs;
  std::vector<double> rows;
  for (std::int32_t id = 0; id < engine.ids(); ++id) {
    for (const CostShape& cost : costs) rows.push_back(std::clamp(0.0, cost.range.low, cost.range.high));
  }
  for (const std::int32_t id : engine.offered()) {
    std::span<const double> row;
    if (is.options.actions.empty() && id < is.shape.actions) {
      row = std::span(is.expected).subspan(as_size(id) * costs.size(), costs.size());
    } else if (const auto name = engine.action_name(id); has(is, name)) {
      row = row_of(is, name);
    } else {
      return Error{fmt::format("the document has none of action {}, which a request added; accepted: a "
                               "document whose actions have it",
                               action_text(engine, id))};
    }
    std::ranges::copy(row, rows.begin() + static_cast<std::ptrdiff_t>(as_size(id) * costs.size()));
  }
  return engine.expect(rows);
}

}  // namespace

std::vector<Step> steps_between(const ModelPlan& was, const ModelPlan& is,
                                const std::vector<Difference>& found, const Engine& engine) {
  const auto changed = [&](std::string_view field) {
    return std::ranges::find(found, field, &Difference::field) != found.end();
  };
  std::vector<Step> steps;
  add_budgets(was, is, steps);
  if (changed("most_open") || changed("expire_after")) {
    steps.push_back({"most_open", [&is](Engine& of) {
                       return of.set_limits(is.options.most_open, is.options.expire_after);
                     }});
  }
  const bool expects = changed("expected_costs");
  if (expects) steps.push_back({"expected_costs", [](Engine& of) { return of.expect({}); }});
  if (changed("actions")) add_actions(was, is, engine, steps);
  if (expects && !is.expected.empty()) {
    steps.push_back({"expected_costs", [&is](Engine& of) { return expect(is, of); }});
  }
  return steps;
}

}  // namespace rein::serve
