// rein/engine.h. Batches are in engine_batch.cc, what can be read in engine_state.cc.
#include "engine.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>

#include "rein/batch.h"
#include "rein/bounds.h"

namespace rein::bind {
namespace {

using Ids = Array<1, const std::int32_t>;

void bind_options(nb::module_& module) {
  using Default = std::optional<std::pair<double, Numbers>>;
  nb::class_<EngineOptions>(module, "EngineOptions")
      .def(nb::init<>())
      .def_rw("seed", &EngineOptions::seed)
      .def_rw("secret", &EngineOptions::secret)
      .def_rw("most_open", &EngineOptions::most_open)
      .def_rw("remember", &EngineOptions::remember)
      .def_rw("expire_after", &EngineOptions::expire_after)
      .def_rw("hard_budget", &EngineOptions::hard_budget)
      .def_rw("most_keys", &EngineOptions::most_keys)
      .def_rw("actions", &EngineOptions::actions)
      .def_rw("numbered", &EngineOptions::numbered)
      .def("set_schema",
           [](EngineOptions& o, const NamedSchema& named) {
             o.schema = std::make_shared<const Schema>(named.schema);
           })
      .def(
          "add_budget",
          [](EngineOptions& o, std::string name, std::string cost, double amount, bool hard,
             int window, std::int64_t length, std::string zone, bool carry, std::string scope,
             std::int64_t rounds, const KeyAmounts& amounts, int keep, bool named,
              const std::string& hold) {
            o.budgets.push_back({std::move(name), std::move(cost), amount,
                                 hard ? BudgetKind::kHard : BudgetKind::kSteer,
                                 Window{static_cast<Window::Kind>(window), length, std::move(zone)},
                                 carry, std::move(scope), rounds, amounts_of(amounts), keep, named, hold_in(hold)});
          })
      .def_rw("safe_action", &EngineOptions::safe_action, nb::arg().none())
      .def("set_safe_cost",
           [](EngineOptions& o, const Numbers& costs) { o.safe_cost = costs_of(costs); })
      .def("set_largest_costs",
           [](EngineOptions& o, const std::vector<Numbers>& all) {
             for (const Numbers& costs : all) o.largest_costs.push_back(costs_of(costs));
           })
      .def("set_default_outcome", [](EngineOptions& o, const Default& given) {
        if (given) o.default_outcome = {.reward = given->first, .costs = costs_of(given->second)};
      });
}

// Dimensions and keys of scopes, as Python gives them and as views of them.
using Named = std::vector<std::pair<std::string, std::string>>;

std::vector<Scope> scopes_of(const Named& named) {
  std::vector<Scope> scopes;
  for (const auto& [dimension, key] : named) scopes.push_back({dimension, key});
  return scopes;
}

std::atomic<int> forked = 0;

std::unique_ptr<Shared> make_engine(const std::string& spec, const Shape& shape,
                                    const EngineOptions& options, const Own& own) {
  return std::make_unique<Shared>(unwrap(Engine::make(spec, shape, options, own)));
}

std::unique_ptr<Shared> restore_engine(const nb::bytes& snapshot, const Own& own) {
  Engine engine = unwrap(Engine::restore({snapshot.c_str(), snapshot.size()}, own));
  unwrap(engine.adopt_rules());  // nobody folds the records of an agent
  return std::make_unique<Shared>(std::move(engine));
}

Decision decided(Shared::Change& engine, const Round& round) {
  return {unwrap(engine->decide(round)), *engine};
}

Decision decide_context(Shared& shared, const Array<1>& context) {
  Shared::Change engine(shared);
  return decided(engine,
                 {.actions = engine->policy().shape().actions, .context = span_of(context)});
}

// Cells of a row by name; the engine must have a schema.
void read_row(const Shared& shared, nb::handle dict, CellRow& row) {
  if (!shared.reader) {
    throw Failure("context: found a row with names; accepted: numbers, or an agent with a schema");
  }
  shared.reader->read(dict, row);
}

Decision decide_named(Shared& shared, nb::handle dict) {
  CellRow row;
  read_row(shared, dict, row);
  Shared::Change engine(shared);
  const Round round{.actions = engine->policy().shape().actions};
  return {unwrap(engine->decide(round, {.row = row.cells})), *engine};
}

Decision decide(Shared& shared, int actions, const Array<1>& context, const Array<2>& features,
                const Ids& ids) {
  Shared::Change engine(shared);
  return decided(engine, {.actions = actions,
                          .context = span_of(context),
                          .features = span_of(features),
                          .ids = span_of(ids)});
}

Decision look(Shared& shared, int actions, const Array<1>& context, const Array<2>& features,
              const Ids& ids) {
  Shared::Hold engine(shared);
  const Round round{.actions = actions,
                    .context = span_of(context),
                    .features = span_of(features),
                    .ids = span_of(ids)};
  LookScratch memory;
  return {unwrap(engine->look(round, memory)), *engine};
}

// What a decision brings besides its round, as it came from Python.
struct Terms {
  Named scopes;
  Numbers largest, most;
  std::uint64_t run = 0;
  std::vector<Scope> views = {};
  CellRow row = {};

  DecideOptions options() {
    views = scopes_of(scopes);
    return {.row = row.cells, .scopes = views, .largest_costs = largest, .most_costs = most, .run = run};
  }
};

Decision decide_with(Shared& shared, int actions, const Array<1>& context, const Array<2>& features,
                     const Ids& ids, Named scopes, Numbers largest, Numbers most, bool only_look,
                     const nb::object& named, const Numbers& baseline, std::uint64_t run) {
  const Round round{.actions = actions,
                    .context = span_of(context),
                    .features = span_of(features),
                    .ids = span_of(ids),
                    .baseline = baseline};
  Terms terms{std::move(scopes), std::move(largest), std::move(most), run};
  if (!named.is_none()) read_row(shared, named, terms.row);
  if (only_look) {
    Shared::Hold engine(shared);
    LookScratch memory;
    return {unwrap(engine->look(round, memory, terms.options())), *engine};
  }
  Shared::Change engine(shared);
  return {unwrap(engine->decide(round, terms.options())), *engine};
}

// The decision is kept before its outcome ends it. A part of an outcome keeps it too, so it may be there twice.
void keep_to_explain(Shared& shared, const Engine& engine, std::uint64_t id) {
  const auto record = engine.open_record(id);
  if (!record) return;
  if (shared.explained.size() < shared.explained_most) shared.explained.emplace_back();
  shared.explained[shared.explained_next] = *record.value();
  shared.explained_next = (shared.explained_next + 1) % shared.explained_most;
}

// Says once per agent that a cost was above its range. The outcome is learned by then.
bool learn(Shared& shared, std::uint64_t id, double reward, const Numbers& costs) {
  const Outcome outcome{.reward = reward, .costs = costs_of(costs)};
  std::int64_t clipped = 0;
  const auto done = [&] {
    Shared::Change engine(shared);
    if (shared.explained_most > 0) keep_to_explain(shared, *engine, id);
    const LearnResult learned = unwrap(engine->learn(id, outcome));
    clipped = engine->clipped();
    return learned;
  }();
  warn_of_clipping(shared, clipped);
  return done == LearnResult::kApplied || done == LearnResult::kLate;
}

// The same where parts may be missing.
bool learn_parts(Shared& shared, std::uint64_t id, std::optional<double> reward,
                 const std::vector<std::optional<double>>& costs) {
  Numbers numbers;
  for (const auto& cost : costs) numbers.push_back(cost.value_or(kMissing));
  return learn(shared, id, reward.value_or(kMissing), numbers);
}

nb::list open_decisions(Shared& shared, std::int64_t most) {
  const auto value = [](double part) { return is_missing(part) ? nb::none() : nb::cast(part); };
  nb::list list;
  Shared::Hold engine(shared);
  const bool numbered = engine->options().numbered;
  for (const OpenDecision& one : engine->open(most)) {
    nb::list costs;
    for (double cost : one.came.costs) costs.append(value(cost));
    const nb::object action = label_of(one.action, engine->action_name(one.action), numbered);
    list.append(nb::make_tuple(one.id, one.at, action, value(one.came.reward), costs));
  }
  return list;
}

// What the last decision could not play: the action, the budget or None, and the tick or None.
nb::list barred_actions(Shared& shared) {
  nb::list list;
  Shared::Hold engine(shared);
  const bool numbered = engine->options().numbered;
  for (const BarredAction& barred : engine->barred()) {
    const nb::object action = label_of(barred.action, engine->action_name(barred.action), numbered);
    const nb::object budget = barred.budget.empty()
                                  ? nb::none()
                                  : nb::object(nb::str(barred.budget.data(), barred.budget.size()));
    const nb::object until = barred.until < 0 ? nb::none() : nb::cast(barred.until);
    list.append(nb::make_tuple(action, budget, until));
  }
  return list;
}

// What callers see of every action, by id, and the ids that may be offered.
nb::tuple actions_of(Shared& shared) {
  Shared::Hold engine(shared);
  nb::list labels;
  for (std::int32_t id = 0; id < engine->ids(); ++id) {
    labels.append(label_of(id, engine->action_name(id), engine->options().numbered));
  }
  const auto offered = engine->offered();
  return nb::make_tuple(labels, std::vector<std::int32_t>(offered.begin(), offered.end()));
}

// Rows of a log, in chunks of the size that one record has.
void observe_columns(Shared& shared, const std::vector<ColumnData*>& columns) {
  const auto rows = columns.empty() ? 0 : columns[0]->values.size();
  constexpr auto kChunk = static_cast<std::size_t>(kMaxWarmRounds);
  Shared::Change engine(shared);
  for (std::size_t first = 0; first < rows; first += kChunk) {
    std::vector<ColumnValues> part;
    for (const ColumnData* column : columns) {
      part.push_back(column->values.part(first, std::min(kChunk, rows - first)));
    }
    unwrap(engine->observe(part));
  }
}

std::int32_t add_action(Shared& shared, const std::string& name, const Numbers& largest,
                        const Numbers& expected) {
  Shared::Change engine(shared);
  return unwrap(engine->add_action(
      name, {.largest_costs = costs_of(largest), .expected_costs = costs_of(expected)}));
}

nb::list budgets(Shared& shared, const Named& scopes) {
  Shared::Hold engine(shared);
  return budgets_of(unwrap(engine->budgets(scopes_of(scopes))));
}

// Per key: its name or None, its digest, whether it has an amount of its own, and its money.
nb::tuple keys(Shared& shared, const std::string& budget, std::int64_t first, std::int64_t most,
               std::string search, int ago) {
  Shared::Hold engine(shared);
  const KeyPage page = unwrap(engine->keys(
      budget, {.first = first, .most = most, .search = std::move(search), .ago = ago}));
  nb::list list;
  for (const KeyState& key : page.keys) {
    const nb::object name = key.name.empty() ? nb::none() : nb::cast(key.name);
    list.append(nb::make_tuple(name, key.key.high, key.own, key.limit, key.spent, key.held));
  }
  return nb::make_tuple(list, page.count, page.spent, page.held);
}

nb::list windows(Shared& shared, const std::string& budget, const Named& scopes) {
  Shared::Hold engine(shared);
  nb::list list;
  for (const WindowState& one : unwrap(engine->windows(budget, scopes_of(scopes)))) {
    list.append(nb::make_tuple(one.number, one.first, one.last, one.open, one.limit, one.spent,
                               one.held));
  }
  return list;
}

void set_amount(Shared& shared, const std::string& budget, std::optional<double> amount,
                const Named& scopes) {
  Shared::Change engine(shared);
  if (scopes.empty() && amount) return unwrap(engine->set_amount(budget, *amount));
  unwrap(engine->set_amount(budget, amount, scopes_of(scopes)));
}

// One tuple per run; money per cost as micro-units, a limit of -1: no cap.
nb::tuple run_tuple(const AgentRunState& run) {
  nb::list money;
  for (const AgentRunState::Money& one : run.costs) money.append(nb::make_tuple(one.limit, one.spent, one.held));
  return nb::make_tuple(run.id, run.parent, run.open, run.expired, run.opened, run.ends, run.closed, run.decisions,
                        run.waiting, money);
}

std::uint64_t open_run(Shared& shared, const Numbers& amounts, std::int64_t expire_after, std::uint64_t parent) {
  return unwrap(Shared::Change(shared)->open_run(
      {.amounts = costs_of(amounts), .expire_after = expire_after, .parent = parent}));
}

nb::list agent_runs(Shared& shared, bool only_open, std::int64_t first, std::int64_t most) {
  Shared::Hold engine(shared);
  nb::list list;
  for (const AgentRunState& run : engine->agent_runs(only_open, first, most)) list.append(run_tuple(run));
  return list;
}

void top_up(Shared& shared, const std::string& budget, double amount, const Named& scopes) {
  unwrap(Shared::Change(shared)->top_up(budget, amount, scopes_of(scopes)));
}

nb::bytes snapshot(Shared& shared) {
  Shared::Hold engine(shared);
  const std::string bytes = engine->snapshot();
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

int forks() { return forked; }

Costs costs_of(const Numbers& numbers) {
  if (numbers.size() > static_cast<std::size_t>(kMaxCosts)) {
    throw Failure("costs: found " + std::to_string(numbers.size()) +
                  " numbers; accepted: at most " + std::to_string(kMaxCosts));
  }
  return Costs(numbers);
}

void warn_of_clipping(Shared& shared, std::int64_t clipped) {
  if (clipped == 0 || shared.warned.exchange(true)) return;
  const nb::object kind = nb::module_::import_("rein").attr("RangeWarning");
  const int failed =
      PyErr_WarnEx(kind.ptr(),
                   "a cost was above its declared range: it is booked in full, and clipped for "
                   "learning; declare a larger range, or none (state.clipped counts them)",
                   1);
  if (failed != 0) throw nb::python_error();
}

void bind_engine(nb::module_& module) {
  pthread_atfork(nullptr, nullptr, [] { ++forked; });
  module.attr("MISSING") = kMissing;
  module.attr("UNKNOWN_END") = kUnknownEnd;
  bind_options(module);
  bind_decision(module);
  nb::class_<Shared> engine(module, "Engine");
  engine.def_static("make", &make_engine)
      .def_static("restore", &restore_engine)
      .def("decide_context", &decide_context)
      .def("decide", &decide)
      .def("look", &look)
      .def("decide_named", &decide_named)
      .def("decide_with", &decide_with, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg())
      .def("schema",
           [](Shared& e) -> nb::object {
             Shared::Hold engine(e);
             if (engine->schema() == nullptr) return nb::none();
             const std::string bytes = engine->schema()->snapshot();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("learn", &learn)
      .def("learn_parts", &learn_parts, nb::arg(), nb::arg().none(), nb::arg())
      .def("open", &open_decisions)
      .def("keep_explained", [](Shared& e, std::size_t most) { e.explained_most = most; })
      .def("barred", &barred_actions)
      .def("cancel", [](Shared& e, std::uint64_t id) { unwrap(Shared::Change(e)->cancel(id)); })
      .def("budgets", &budgets)
      .def("open_run", &open_run)
      .def("close_run", [](Shared& e, std::uint64_t id) { unwrap(Shared::Change(e)->close_run(id)); })
      .def("agent_run",
           [](Shared& e, std::uint64_t id) { return run_tuple(unwrap(Shared::Hold(e)->agent_run(id))); })
      .def("agent_runs", &agent_runs)
      .def("top_up", &top_up)
      .def("set_amount", &set_amount, nb::arg(), nb::arg().none(), nb::arg())
      .def("keys", &keys)
      .def("keyed_budgets",
           [](Shared& e) {
             std::vector<std::string> names;
             for (const Budget& budget : Shared::Hold(e)->options().budgets) {
               if (!budget.scope.empty()) names.push_back(budget.name);
             }
             return names;
           })
      .def("windows", &windows)
      .def("begin_window",
           [](Shared& e, const std::string& budget) {
             unwrap(Shared::Change(e)->begin_window(budget));
           })
      .def("set_rounds",
           [](Shared& e, const std::string& budget, std::int64_t rounds) {
             unwrap(Shared::Change(e)->set_rounds(budget, rounds));
           })
      .def("actions", &actions_of)
      .def("add_action", &add_action)
      .def("observe", &observe_columns)
      .def("remove_action",
           [](Shared& e, std::int32_t id) { unwrap(Shared::Change(e)->remove_action(id)); })
      .def("tick", [](Shared& e, std::int64_t now) { return unwrap(Shared::Change(e)->tick(now)); })
      .def(
          "set_limits",
          [](Shared& e, std::optional<std::int64_t> most_open,
             std::optional<std::int64_t> expire_after) {
            Shared::Change engine(e);
            const EngineOptions& now = engine->options();
            unwrap(engine->set_limits(most_open.value_or(now.most_open),
                                      expire_after.value_or(now.expire_after)));
          },
          nb::arg().none(), nb::arg().none())
      .def("expect",
           [](Shared& e, const Numbers& costs) { unwrap(Shared::Change(e)->expect(costs)); })
      .def("snapshot", &snapshot)
      .def("state_hash", [](Shared& e) { return Shared::Hold(e)->state_hash(); })
      .def("shape", [](Shared& e) { return Shared::Hold(e)->policy().shape(); })
      .def("spec", [](Shared& e) { return Shared::Hold(e)->policy().spec().str(); })
      .def("seed", [](Shared& e) { return Shared::Hold(e)->options().seed; });
  bind_batch(engine);
  bind_state(engine);
}

}  // namespace rein::bind
