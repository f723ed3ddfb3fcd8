// rein/sweep.h
#include "rein/sweep.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "evaluate.h"

namespace rein::bind {
namespace {

using PlainPlay = std::pair<std::string, std::uint64_t>;

Sweep open(const std::string& world, const std::vector<std::string>& policies,
           const CompareOptions& options) {
  const Spec spec = unwrap(parse_spec(world, "world spec"));
  return unwrap(Sweep::open(spec, specs_of(policies), options));
}

std::vector<PlainPlay> plays_of(const Sweep& sweep) {
  std::vector<PlainPlay> plays;
  for (const Play& play : unwrap(sweep.plays())) plays.emplace_back(play.policy.str(), play.seed);
  return plays;
}

nb::dict run_of(const Sweep& sweep) {
  auto result = [&] {
    const nb::gil_scoped_release unlock;
    return sweep.run();
  }();
  return plain(unwrap(std::move(result)));
}

nb::dict compare_of(const Sweep& sweep, const std::string& title) {
  auto found = [&] {
    const nb::gil_scoped_release unlock;
    return sweep.compare();
  }();
  return plain(unwrap(std::move(found)), title);
}

std::vector<std::string> lines_of(const std::string& world, const std::vector<PlainPlay>& plain,
                                  const RunOptions& options) {
  const Spec spec = unwrap(parse_spec(world, "world spec"));
  std::vector<Play> plays;
  for (const auto& [policy, seed] : plain) {
    plays.push_back({unwrap(parse_spec(policy, "policy spec")), seed});
  }
  auto lines = [&] {
    const nb::gil_scoped_release unlock;
    return play_lines(spec, plays, options);
  }();
  return unwrap(std::move(lines));
}

}  // namespace

void bind_sweep(nb::module_& module) {
  nb::class_<Sweep>(module, "Sweep")
      .def_static("open", &open)
      .def("rounds", [](const Sweep& s) { return s.options().rounds; })
      .def("plays", &plays_of)
      .def("add", [](Sweep& s, const std::string& line) { unwrap(s.add(line)); })
      .def("run", &run_of)
      .def("compare", &compare_of);
  module.def("play_lines", &lines_of);
}

}  // namespace rein::bind
