// rein/batch.h: many decisions, or many outcomes, in one call
#include <nanobind/stl/vector.h>

#include <chrono>
#include <exception>
#include <functional>

#include "engine.h"
#include "rein/assign.h"
#include "rein/batch.h"

namespace rein::bind {
namespace {

// Ten times a second within a batch: lets Ctrl-C through, and reports progress to told(done, every),
// unless it is None. Holds back what they raise until the batch has stopped.
class Watched {
 public:
  Watched(const nb::object& told, std::int64_t every) : told_(told), every_(every) {}

  bool operator()(std::int64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return true;
    last_ = now;
    const nb::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!told_.is_none()) told_(done, every_);
    } catch (...) {
      raised_ = std::current_exception();
    }
    return raised_ == nullptr;
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  const nb::object& told_;
  std::int64_t every_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::exception_ptr raised_;
};

std::int64_t decide_batch(Shared& shared, int actions, const Array<2>& contexts,
                          const Array<3>& features, const Array<2, const std::int32_t>& ids,
                          const Array<1, std::uint64_t>& out_ids,
                          const Array<1, std::int32_t>& out_actions,
                          const Array<1, double>& out_probability,
                          const Array<2, double>& out_probabilities,
                          const Array<2, double>& out_prices, const Array<3, double>& out_estimates,
                          const Array<1, std::int8_t>& out_holdout,
                          const Array<1, std::int32_t>& out_places, const nb::object& told,
                          const std::vector<ColumnData*>& columns) {
  std::vector<ColumnValues> values;
  for (const ColumnData* column : columns) values.push_back(column->values);
  const RoundBatch rounds{.rounds = static_cast<std::int64_t>(out_ids.size()),
                          .actions = actions,
                          .contexts = span_of(contexts),
                          .columns = values,
                          .features = span_of(features),
                          .ids = span_of(ids)};
  const DecisionBatch out{.ids = span_of(out_ids),
                          .actions = span_of(out_actions),
                          .probability = span_of(out_probability),
                          .probabilities = span_of(out_probabilities),
                          .prices = span_of(out_prices),
                          .estimates = span_of(out_estimates),
                          .holdout = span_of(out_holdout),
                          .places = span_of(out_places)};
  Watched watched(told, rounds.rounds);
  auto done = [&] {
    Shared::Change engine(shared);
    const nb::gil_scoped_release unlock;
    return decide_many(*engine, rounds, out, std::ref(watched));
  }();
  watched.rethrow();
  return unwrap(std::move(done));
}

// Writes the arrays; returns prices, (reward, spent) of the assignment and expected, ties, raised, and a row
// per action: id, offered in every round, reward, spent.
nb::tuple assign_batch(Shared& shared, int actions, const Array<2>& contexts,
                       const Array<3>& features, const Array<2, const std::int32_t>& ids,
                       std::int64_t count, const std::vector<double>& totals, double explore,
                       std::uint64_t seed, const Array<1, std::int32_t>& out_actions,
                       const Array<1, double>& out_probability,
                       const Array<2, double>& out_estimates, const nb::object& told,
                       const std::vector<ColumnData*>& columns) {
  std::vector<ColumnValues> values;
  for (const ColumnData* column : columns) values.push_back(column->values);
  const RoundBatch rounds{.rounds = count,
                          .actions = actions,
                          .contexts = span_of(contexts),
                          .columns = values,
                          .features = span_of(features),
                          .ids = span_of(ids)};
  Watched watched(told, count);
  auto done = [&] {
    Shared::Hold engine(shared);
    const nb::gil_scoped_release unlock;
    return assign(*engine, rounds, {.totals = totals, .explore = explore, .seed = seed},
                  std::ref(watched));
  }();
  watched.rethrow();
  const Assignment found = unwrap(std::move(done));
  std::ranges::copy(found.actions, out_actions.data());
  std::ranges::copy(found.probability, out_probability.data());
  std::ranges::copy(found.estimates, out_estimates.data());
  const auto listed = [](const Costs& costs) { return Numbers(costs.begin(), costs.end()); };
  nb::list same;
  for (const OneForAll& each : found.one_for_all) {
    same.append(nb::make_tuple(each.action, each.offered, each.reward, listed(each.spent)));
  }
  return nb::make_tuple(listed(found.prices), found.reward, listed(found.spent),
                        found.expected_reward, listed(found.expected_spent), found.ties,
                        found.raised, same);
}

std::int64_t learn_batch(Shared& shared, const Array<1, const std::uint64_t>& ids,
                         const Array<1>& rewards, const Array<2>& costs, const nb::object& told) {
  Watched watched(told, static_cast<std::int64_t>(ids.size()));
  std::int64_t clipped = 0;
  auto done = [&] {
    Shared::Change engine(shared);
    const nb::gil_scoped_release unlock;
    auto learned =
        learn_many(*engine, span_of(ids), span_of(rewards), span_of(costs), std::ref(watched));
    clipped = engine->clipped();
    return learned;
  }();
  watched.rethrow();
  const std::int64_t learned = unwrap(std::move(done));
  warn_of_clipping(shared, clipped);
  return learned;
}

}  // namespace

void bind_batch(nb::class_<Shared>& engine) {
  engine
      .def("decide_many", &decide_batch, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg().none(), nb::arg())
      .def("assign", &assign_batch, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("learn_many", &learn_batch, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace rein::bind
