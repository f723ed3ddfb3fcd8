// rein/sweep.h: runs and comparisons, without the interpreter's lock.
#include "rein/sweep.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "run.h"

namespace rein::bind {
namespace {

// Runs `work` without the interpreter's lock and returns its result.
template <class Work>
auto unlocked(const Work& work) {
  auto made = [&] {
    const nb::gil_scoped_release unlock;
    return work();
  }();
  return unwrap(std::move(made));
}

using PlainPlay = std::pair<std::string, std::uint64_t>;

Sweep open(const std::string& world, const std::vector<std::string>& policies,
           const CompareOptions& options) {
  const Spec spec = unwrap(parse_spec(world, "world spec"));
  const std::vector<Spec> who = specs_of(policies);
  return unlocked([&] { return Sweep::open(spec, who, options); });
}

std::vector<PlainPlay> plays_of(const Sweep& sweep) {
  std::vector<PlainPlay> plays;
  for (const Play& play : sweep.plays()) plays.emplace_back(play.policy.str(), play.seed);
  return plays;
}

nb::dict run_of(const Sweep& sweep) {
  const RunResult result = unlocked([&] { return sweep.run(); });
  return plain(result, to_value(result, {.title = "rein run: " + result.world.str()}));
}

nb::dict compare_of(const Sweep& sweep, const std::string& title) {
  return plain(unlocked([&] { return sweep.compare(); }), title);
}

std::vector<std::string> lines_of(const std::string& world, const std::vector<PlainPlay>& plain,
                                  const RunOptions& options) {
  const Spec spec = unwrap(parse_spec(world, "world spec"));
  std::vector<Play> plays;
  for (const auto& [policy, seed] : plain) {
    plays.push_back({unwrap(parse_spec(policy, "policy spec")), seed});
  }
  return unlocked([&] { return play_lines(spec, plays, options); });
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
