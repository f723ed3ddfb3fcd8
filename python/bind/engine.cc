// rein/engine.h and rein/batch.h
#include "engine.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <pthread.h>

#include "rein/batch.h"
#include "rein/bounds.h"

namespace rein::bind {
namespace {

using Numbers = std::vector<double>;
using Ids = Array<1, const std::int32_t>;

Costs costs_of(const Numbers& numbers) {
  if (numbers.size() > static_cast<std::size_t>(kMaxCosts)) {
    throw Failure("costs: found " + std::to_string(numbers.size()) +
                  " numbers; accepted: at most " + std::to_string(kMaxCosts));
  }
  return Costs(numbers);
}

Numbers numbers_of(const Costs& costs) { return {costs.begin(), costs.end()}; }

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
      .def(
          "add_budget",
          [](EngineOptions& o, std::string name, std::string cost, double amount, bool hard,
             int window, std::int64_t length, std::string zone, bool carry, std::string scope,
             std::int64_t rounds) {
            o.budgets.push_back({std::move(name), std::move(cost), amount,
                                 hard ? BudgetKind::kHard : BudgetKind::kSteer,
                                 Window{static_cast<Window::Kind>(window), length, std::move(zone)},
                                 carry, std::move(scope), rounds});
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

std::unique_ptr<Shared> make(const std::string& spec, const Shape& shape,
                             const EngineOptions& options, const Own& own) {
  return std::make_unique<Shared>(unwrap(Engine::make(spec, shape, options, own)));
}

std::unique_ptr<Shared> restore(const nb::bytes& snapshot, const Own& own) {
  return std::make_unique<Shared>(
      unwrap(Engine::restore({snapshot.c_str(), snapshot.size()}, own)));
}

Decision decided(Shared::Hold& engine, const Round& round) {
  return {unwrap(engine->decide(round)), engine->policy().shape().heads()};
}

Decision decide_context(Shared& shared, const Array<1>& context) {
  Shared::Hold engine(shared);
  return decided(engine,
                 {.actions = engine->policy().shape().actions, .context = span_of(context)});
}

Decision decide(Shared& shared, int actions, const Array<1>& context, const Array<2>& features,
                const Ids& ids) {
  Shared::Hold engine(shared);
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
  return {unwrap(engine->look(round, memory)), engine->policy().shape().heads()};
}

// What a decision brings besides its round, as it came from Python.
struct Terms {
  Named scopes;
  Numbers largest, most;
  std::vector<Scope> views;

  DecideOptions options() {
    views = scopes_of(scopes);
    return {.scopes = views, .largest_costs = largest, .most_costs = most};
  }
};

Decision decide_with(Shared& shared, int actions, const Array<1>& context, const Array<2>& features,
                     const Ids& ids, Named scopes, Numbers largest, Numbers most, bool only_look) {
  Shared::Hold engine(shared);
  const Round round{.actions = actions,
                    .context = span_of(context),
                    .features = span_of(features),
                    .ids = span_of(ids)};
  Terms terms{std::move(scopes), std::move(largest), std::move(most), {}};
  const int heads = engine->policy().shape().heads();
  if (!only_look) return {unwrap(engine->decide(round, terms.options())), heads};
  LookScratch memory;
  return {unwrap(engine->look(round, memory, terms.options())), heads};
}

bool learn(Shared& shared, std::uint64_t id, double reward, const Numbers& costs) {
  Shared::Hold engine(shared);
  const Outcome outcome{.reward = reward, .costs = costs_of(costs)};
  return unwrap(engine->learn(id, outcome)) != LearnResult::kDuplicate;
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
  for (const OpenDecision& one : Shared::Hold(shared)->open(most)) {
    nb::list costs;
    for (double cost : one.came.costs) costs.append(value(cost));
    list.append(nb::make_tuple(one.id, one.at, one.action_id, value(one.came.reward), costs));
  }
  return list;
}

nb::list budgets_of(const std::vector<BudgetState>& all) {
  nb::list list;
  for (const BudgetState& one : all) {
    list.append(nb::make_tuple(one.name, one.limit, one.spent, one.held, one.window, one.first,
                               one.last, one.over_holds, one.pace, one.rounds_left, one.past));
  }
  return list;
}

nb::list budgets(Shared& shared, const Named& scopes) {
  Shared::Hold engine(shared);
  return budgets_of(unwrap(engine->budgets(scopes_of(scopes))));
}

void top_up(Shared& shared, const std::string& budget, double amount, const Named& scopes) {
  unwrap(Shared::Hold(shared)->top_up(budget, amount, scopes_of(scopes)));
}

std::int64_t decide_batch(Shared& shared, int actions, const Array<2>& contexts,
                          const Array<3>& features, const Array<2, const std::int32_t>& ids,
                          const Array<1, std::uint64_t>& out_ids,
                          const Array<1, std::int32_t>& out_actions,
                          const Array<1, double>& out_probability,
                          const Array<2, double>& out_probabilities,
                          const Array<2, double>& out_prices, const Array<3, double>& out_estimates,
                          const Array<1, std::int8_t>& out_holdout) {
  const RoundBatch rounds{.rounds = static_cast<std::int64_t>(out_ids.size()),
                          .actions = actions,
                          .contexts = span_of(contexts),
                          .features = span_of(features),
                          .ids = span_of(ids)};
  const DecisionBatch out{.ids = span_of(out_ids),
                          .actions = span_of(out_actions),
                          .probability = span_of(out_probability),
                          .probabilities = span_of(out_probabilities),
                          .prices = span_of(out_prices),
                          .estimates = span_of(out_estimates),
                          .holdout = span_of(out_holdout)};
  auto done = [&] {
    Shared::Hold engine(shared);
    const nb::gil_scoped_release unlock;
    return decide_many(*engine, rounds, out);
  }();
  return unwrap(std::move(done));
}

std::int64_t learn_batch(Shared& shared, const Array<1, const std::uint64_t>& ids,
                         const Array<1>& rewards, const Array<2>& costs) {
  auto done = [&] {
    Shared::Hold engine(shared);
    const nb::gil_scoped_release unlock;
    return learn_many(*engine, span_of(ids), span_of(rewards), span_of(costs));
  }();
  return unwrap(std::move(done));
}

nb::bytes snapshot(Shared& shared) {
  Shared::Hold engine(shared);
  const std::string bytes = engine->snapshot();
  return nb::bytes(bytes.data(), bytes.size());
}

nb::dict state(Shared& shared) {
  Shared::Hold engine(shared);
  const EngineState now = engine->state();
  const PolicyState policy = engine->policy_state();
  nb::dict out;
  out["now"] = now.now;
  out["decided"] = now.decided;
  out["open"] = now.open;
  out["learned"] = now.learned;
  out["expired"] = now.expired;
  out["remembered"] = now.remembered;
  out["reserved"] = numbers_of(now.reserved);
  out["cancelled"] = now.cancelled;
  out["late"] = now.late;
  out["too_late"] = now.too_late;
  out["clipped"] = now.clipped;
  out["partly"] = now.partly;
  out["without_reward"] = now.without_reward;
  out["without_cost"] = now.without_cost;
  out["open_since"] = now.open_since;
  out["budgets"] = budgets_of(now.budgets);
  out["rounds"] = policy.rounds;
  out["warm"] = policy.warm;
  out["reward"] = policy.reward;
  out["spent"] = numbers_of(now.billed);
  out["queues"] = numbers_of(policy.queues);
  out["u"] = policy.u;
  out["oracle_regret"] = policy.oracle_regret;
  out["alarm"] = nb::none();
  if (const auto& alarm = policy.alarm) {
    out["alarm"] =
        nb::make_tuple(alarm->ringing, std::string(alarm->why), alarm->head, alarm->round);
  }
  out["status"] = nb::make_tuple(std::string(name_of(policy.status)),
                                 std::string(advice(policy.status)), policy.status_cost);
  out["effective_size"] = policy.effective_size;
  out["objective"] = policy.objective;
  out["change"] = nb::none();
  if (const auto& change = policy.change) {
    out["change"] = nb::make_tuple(change->times, change->round, change->head);
  }
  out["setting"] = policy.setting ? nb::cast(std::string(name_of(*policy.setting))) : nb::none();
  return out;
}

nb::tuple promised(Shared& shared, double margin) {
  Shared::Hold engine(shared);
  const Bounds found = bounds(engine->policy(), {.margin = margin});
  return nb::make_tuple(found.regret, numbers_of(found.ccv));
}

}  // namespace

int forks() { return forked; }

void bind_engine(nb::module_& module) {
  pthread_atfork(nullptr, nullptr, [] { ++forked; });
  module.attr("MISSING") = kMissing;
  bind_options(module);
  bind_decision(module);
  nb::class_<Shared>(module, "Engine")
      .def_static("make", &make)
      .def_static("restore", &restore)
      .def("decide_context", &decide_context)
      .def("decide", &decide)
      .def("look", &look)
      .def("decide_with", &decide_with)
      .def("learn", &learn)
      .def("learn_parts", &learn_parts, nb::arg(), nb::arg().none(), nb::arg())
      .def("open", &open_decisions)
      .def("cancel", [](Shared& e, std::uint64_t id) { unwrap(Shared::Hold(e)->cancel(id)); })
      .def("budgets", &budgets)
      .def("top_up", &top_up)
      .def("set_amount", [](Shared& e, const std::string& budget,
                            double to) { unwrap(Shared::Hold(e)->set_amount(budget, to)); })
      .def("begin_window",
           [](Shared& e, const std::string& budget) {
             unwrap(Shared::Hold(e)->begin_window(budget));
           })
      .def("set_rounds",
           [](Shared& e, const std::string& budget, std::int64_t rounds) {
             unwrap(Shared::Hold(e)->set_rounds(budget, rounds));
           })
      .def("decide_many", &decide_batch)
      .def("learn_many", &learn_batch)
      .def("tick", [](Shared& e, std::int64_t now) { return unwrap(Shared::Hold(e)->tick(now)); })
      .def("expect",
           [](Shared& e, const Numbers& costs) { unwrap(Shared::Hold(e)->expect(costs)); })
      .def("snapshot", &snapshot)
      .def("state_hash", [](Shared& e) { return Shared::Hold(e)->state_hash(); })
      .def("state", &state)
      .def("bounds", &promised)
      .def("shape", [](Shared& e) { return Shared::Hold(e)->policy().shape(); })
      .def("spec", [](Shared& e) { return Shared::Hold(e)->policy().spec().str(); })
      .def("seed", [](Shared& e) { return Shared::Hold(e)->options().seed; });
}

}  // namespace rein::bind
