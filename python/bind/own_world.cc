// rein/own_world.h: a Python object whose next(action) returns rounds with every outcome,
// registered as a world. rein._own makes the object from a generator and checks what it yields.
#include "rein/own_world.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>

#include "bind.h"
#include "rein/record.h"

namespace rein::bind {
namespace {

class PythonWorld final : public World {
 public:
  PythonWorld(Kept object, const Shape& shape, bool adapts)
      : object_(std::move(object)), shape_(shape), adapts_(adapts) {}

  const Shape& shape() const override { return shape_; }
  const Round& next() override {
    const nb::gil_scoped_acquire lock;
    const auto scene = nb::cast<nb::tuple>((*object_).attr("next")(taken_));
    const auto context = nb::cast<Array<1>>(scene[0]);
    const auto features = nb::cast<Array<2>>(scene[1]);
    const auto ids = nb::cast<Array<1, const std::int32_t>>(scene[2]);
    const auto outcomes = nb::cast<Array<2>>(scene[3]);
    const auto means = nb::cast<Array<2>>(scene[4]);
    const int actions = static_cast<int>(outcomes.shape(1));
    stored_.copy({.actions = actions,
                  .context = span_of(context),
                  .features = span_of(features),
                  .ids = span_of(ids)});
    outcomes_.assign(outcomes.data(), outcomes.data() + outcomes.size());
    means_.assign(means.data(), means.data() + means.size());
    round_ = stored_.view();
    return round_;
  }
  void outcome(int action, Outcome& out) const override {
    out.reward = outcomes_[at(0, action)];
    out.costs = Costs(shape_.heads() - 1);
    for (int i = 0; i < out.costs.size(); ++i) out.costs[i] = outcomes_[at(i + 1, action)];
  }
  void means(std::span<double> out) const override { std::ranges::copy(means_, out.begin()); }
  void observe(int action, const Outcome&) override { taken_ = action; }
  bool adapts() const override { return adapts_; }

 private:
  std::size_t at(int head, int action) const {
    return static_cast<std::size_t>(head * round_.actions + action);
  }

  Kept object_;
  Shape shape_;
  bool adapts_;
  int taken_ = -1;
  StoredRound stored_;
  Round round_;
  std::vector<double> outcomes_, means_;
};

// `make(seed, rounds)` returns the object.
Loan lend(const std::string& name, nb::object make, const Shape& shape, bool adapts) {
  return unwrap(
      lend_world(name,
                 [make = Kept(std::move(make)), shape, adapts](
                     std::uint64_t seed, std::int64_t rounds) -> Result<std::unique_ptr<World>> {
                   const nb::gil_scoped_acquire lock;
                   return std::make_unique<PythonWorld>(Kept((*make)(seed, rounds)), shape, adapts);
                 }));
}

// Whether a world has its own number of rounds, as a table has.
bool has_length(const std::string& spec) { return make_world(std::string_view(spec), 1, 0).ok(); }

}  // namespace

void bind_world(nb::module_& module) {
  module.def("lend_world", &lend);
  module.def("has_length", &has_length);
}

}  // namespace rein::bind
