// rein/own_oracle.h: a Python object with predict and learn, registered as an oracle. rein._own
// defines what the object must return and checks it.
#include "rein/own_oracle.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>

#include "bind.h"

namespace rein::bind {
namespace {

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

class PythonOracle final : public Oracle {
 public:
  PythonOracle(Kept object, const Shape& shape) : object_(std::move(object)), shape_(shape) {}

  void predict(const Round& round, Scratch&, Estimates& estimates) const override {
    const nb::gil_scoped_acquire lock;
    const auto said = nb::cast<Array<2>>(
        own().attr("predict")(*object_, arrays_of(round, shape_), shape_.heads()));
    for (int h = 0; h < shape_.heads(); ++h) {
      std::copy_n(said.data() + h * round.actions, round.actions, estimates.mean(h).begin());
    }
    std::ranges::fill(estimates.width(), 0.0);
  }
  std::size_t scratch() const override { return 0; }
  void learn(const Round& round, int action, std::span<const double> outcomes) override {
    const nb::gil_scoped_acquire lock;
    own().attr("learn")(*object_, arrays_of(round, shape_), action,
                        copied(outcomes.data(), {outcomes.size()}));
  }
  // The library provides the bound and the saved state: src/estimate/own.h.
  double bound(std::int64_t) const override { return std::numeric_limits<double>::quiet_NaN(); }
  double regret() const override { return std::numeric_limits<double>::quiet_NaN(); }
  void save(ByteWriter&) const override {}
  Result<> load(ByteReader&) override { return {}; }

 private:
  static nb::module_ own() { return nb::module_::import_("rein._own"); }

  Kept object_;
  Shape shape_;
};

// `make(shape)` returns the object.
Loan lend(const std::string& name, nb::object make) {
  return unwrap(lend_oracle(
      name, [make = Kept(std::move(make))](const Shape& shape) -> Result<std::unique_ptr<Oracle>> {
        const nb::gil_scoped_acquire lock;
        return std::make_unique<PythonOracle>(Kept((*make)(nb::cast(shape))), shape);
      }));
}

}  // namespace

void bind_oracle(nb::module_& module) {
  nb::class_<Loan>(module, "Loan")
      .def("__enter__", [](nb::handle self) { return self; })
      .def(
          "__exit__",
          [](Loan& loan, nb::handle, nb::handle, nb::handle) { Loan ended(std::move(loan)); },
          nb::arg().none(), nb::arg().none(), nb::arg().none());
  module.def("lend_oracle", &lend);
}

}  // namespace rein::bind
