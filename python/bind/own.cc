// rein/own.h: Python objects as oracles, potentials and worlds of the caller's own. rein._own
// defines what the objects must return and checks it.
#include "rein/own.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "bind.h"
#include "rein/record.h"
#include "rein/world.h"

namespace rein::bind {
namespace {

nb::module_ own_module() { return nb::module_::import_("rein._own"); }

// context, features and ids as copies: the round's own arrays end with the call.
nb::tuple arrays_of(const Round& round, const Shape& shape) {
  if (!round.sparse.begin.empty()) {
    throw Failure("own oracle: the round has sparse rows; accepted in Python: dense ones");
  }
  const auto k = static_cast<std::size_t>(round.actions);
  std::vector<std::int64_t> ids;
  for (int a = 0; a < round.actions; ++a) ids.push_back(round.id(a));
  return nb::make_tuple(
      copied(round.context.data(), {round.context.size()}),
      copied(round.features.data(), {k, static_cast<std::size_t>(shape.features)}),
      copied(ids.data(), {k}));
}

// The bytes of an object's own save() and load(), or of pickle.
void save_object(const Kept& object, ByteWriter& out) {
  const nb::gil_scoped_acquire lock;
  const auto bytes = nb::cast<nb::bytes>(own_module().attr("save")(*object));
  out.text({bytes.c_str(), bytes.size()});
}
Result<> load_object(const Kept& object, ByteReader& in) {
  const std::string bytes = in.text();
  if (auto read = in.status(); !read) return read;
  const nb::gil_scoped_acquire lock;
  own_module().attr("load")(*object, nb::bytes(bytes.data(), bytes.size()));
  return {};
}

// An object with predict and learn. save and load are optional; without them nothing is saved here.
class PythonOracle final : public OwnOracle {
 public:
  PythonOracle(Kept object, const Shape& shape) : object_(std::move(object)), shape_(shape) {}

  void predict(const Round& round, Estimates& estimates) const override {
    const nb::gil_scoped_acquire lock;
    const auto found = nb::cast<Array<2>>(
        own_module().attr("predict")(*object_, arrays_of(round, shape_), shape_.heads()));
    for (int h = 0; h < shape_.heads(); ++h) {
      std::copy_n(found.data() + h * round.actions, round.actions, estimates.mean(h).begin());
    }
  }
  bool learns_parts() const override {
    const nb::gil_scoped_acquire lock;
    return nb::cast<bool>(own_module().attr("learns_parts")(*object_));
  }
  void learn(const Round& round, int action, std::span<const double> outcomes) override {
    const nb::gil_scoped_acquire lock;
    own_module().attr("learn")(*object_, arrays_of(round, shape_), action,
                               copied(outcomes.data(), {outcomes.size()}));
  }
  void save(ByteWriter& out) const override { save_object(object_, out); }
  Result<> load(ByteReader& in) override { return load_object(object_, in); }

 private:
  Kept object_;
  Shape shape_;
};

// An object with value and slope.
class PythonPotential final : public OwnPotential {
 public:
  explicit PythonPotential(Kept object) : object_(std::move(object)) {}

  double value(int cost, double queue) const override { return ask("value", cost, queue); }
  double slope(int cost, double queue) const override { return ask("slope", cost, queue); }

 private:
  double ask(const char* verb, int cost, double queue) const {
    const nb::gil_scoped_acquire lock;
    return nb::cast<double>(own_module().attr("ask_potential")(*object_, verb, cost, queue));
  }

  Kept object_;
};

// An object with decide and learn.
class PythonPolicy final : public OwnPolicy {
 public:
  PythonPolicy(Kept object, const Shape& shape) : object_(std::move(object)), shape_(shape) {}

  void choose(const Round& round, const Costs& spent, std::span<double> out) const override {
    const nb::gil_scoped_acquire lock;
    const auto found = nb::cast<Array<1>>(own_module().attr("choose")(
        *object_, arrays_of(round, shape_),
        copied(spent.begin(), {static_cast<std::size_t>(spent.size())})));
    std::copy_n(found.data(), round.actions, out.begin());
  }
  void learn(const Round& round, int action, double probability, const Outcome& outcome) override {
    const nb::gil_scoped_acquire lock;
    own_module().attr("learn_policy")(
        *object_, arrays_of(round, shape_), action, probability, outcome.reward,
        copied(outcome.costs.begin(), {static_cast<std::size_t>(outcome.costs.size())}));
  }
  void save(ByteWriter& out) const override { save_object(object_, out); }
  Result<> load(ByteReader& in) override { return load_object(object_, in); }

 private:
  Kept object_;
  Shape shape_;
};

// An object whose next(action) returns a round with every outcome.
class PythonWorld final : public OwnWorld {
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
  bool means(std::span<double> out) const override {
    std::ranges::copy(means_, out.begin());
    return true;
  }
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

// `make(shape)` returns the object.
void add_oracle(Own& own, const std::string& name, nb::object make) {
  own.oracles[name] = [make = Kept(std::move(make))](const Shape& shape) {
    const nb::gil_scoped_acquire lock;
    return std::make_unique<PythonOracle>(Kept((*make)(nb::cast(shape))), shape);
  };
}

// `make(shape)` returns the object.
void add_policy(Own& own, const std::string& name, nb::object make) {
  own.policies[name] = [make = Kept(std::move(make))](const Shape& shape) {
    const nb::gil_scoped_acquire lock;
    return std::make_unique<PythonPolicy>(Kept((*make)(nb::cast(shape))), shape);
  };
}

void add_potential(Own& own, const std::string& name, nb::object object) {
  own.potentials[name] = std::make_shared<const PythonPotential>(Kept(std::move(object)));
}

// `make(seed, rounds)` returns the object.
void add_world(Own& own, const std::string& name, nb::object make, const Shape& shape,
               bool adapts) {
  own.worlds[name] = [make = Kept(std::move(make)), shape, adapts](std::uint64_t seed,
                                                                   std::int64_t rounds) {
    const nb::gil_scoped_acquire lock;
    return std::make_unique<PythonWorld>(Kept((*make)(seed, rounds)), shape, adapts);
  };
}

// Whether a world has its own number of rounds, as a table has.
bool has_length(const std::string& spec, const Own& own) {
  return make_world(std::string_view(spec), 1, 0, own).ok();
}

}  // namespace

void bind_own(nb::module_& module) {
  nb::class_<Own>(module, "Own")
      .def(nb::init<>())
      .def("add_oracle", &add_oracle)
      .def("add_policy", &add_policy)
      .def("add_potential", &add_potential)
      .def("add_world", &add_world);
  module.def("has_length", &has_length);
}

}  // namespace rein::bind
