// Helpers for tests of worlds: the specs of the contract tests, and traces.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rein/catalog.h"
#include "rein/oracle.h"
#include "rein/world.h"
#include "source_dir.h"

namespace rein {

// The keys that a world requires.
inline std::string needs(std::string_view name) {
  if (name == "log") return "file=\"" + source_dir() + "/examples/data/decisions.csv\"";
  return name == "table" ? "file=\"" + source_dir() + "/examples/data/coupons.csv\"" : "";
}

// NAME(keys), with the keys that the world requires.
inline std::string spec_of(std::string_view name, std::string keys = "") {
  const std::string needed = needs(name);
  if (!needed.empty()) keys = keys.empty() ? needed : needed + "," + keys;
  return keys.empty() ? std::string(name) : fmt::format("{}({})", name, keys);
}

// Every name of the table, and variants that reach other code.
inline std::vector<std::string> contract_specs() {
  std::vector<std::string> specs;
  for (const Entry& entry : worlds()) specs.emplace_back(spec_of(entry.name));
  specs.emplace_back(spec_of("table", "order=file,rate=0.2"));
  specs.emplace_back(spec_of("table", "cost=[c,c0],cost_range=[0,1],budget=[20,0],repeat=1"));
  specs.emplace_back(spec_of("log", "order=file,rate=0.5,noise=none"));
  specs.emplace_back("subset(of=" + spec_of("log", "repeat=1") + ")");
  specs.emplace_back("subset(always=0,of=" + spec_of("table", "rate=0.2") + ",share=0.5)");
  for (const char* variant :
       {"linear(order=switching,block=7)",
        "linear(order=cyclic,period=11,m=3)",
        "linear(order=drift,noise=gaussian,sd=0.5)",
        "linear(order=adaptive,noise=low)",
        "linear(order=adaptive,target=queue,m=2)",
        "linear(k=1,d=1)",
        "linear(k=3,d=2,m=0)",
        "linear(costs=positive,rate=0.1)",
        "linear(costs=positive,m=16,budget=20,noise=gaussian)",
        "linear(costs=positive,order=adaptive,target=queue,d=2,rate=0.2,candidates=3)",
        "linear(m=2,rate=[0.1,0.2],order=drift,turns=3)",
        "linear(costs=positive,safe=0)",
        "linear(margin=0.8,m=5,k=17,d=9)",
        "finite(m=3,order=cyclic,noise=gaussian)",
        "finite(costs=positive,rate=0.1,noise=low)",
        "finite(k=1,contexts=1,n=1,m=0)",
        "finite(margin=1,noise=rademacher)",
        "fixed_context(k=6,d=7,m=2,noise=none,rate=0.5)",
        "heavy(m=3,noise=rademacher)",
        "heavy(k=2,d=2,ratio=10,noise=gaussian,budget=30)",
        "nonlinear(kind=steps,k=1,d=2,noise=rademacher)",
        "nonlinear(costs=positive,rate=0.2,m=3,tension=0)",
        "nonlinear(m=0,d=9)",
        "misspecified(strength=0,m=2,margin=0.5)",
        "misspecified(costs=positive,budget=20,kind=steps,strength=1,noise=low)",
        "spend_or_save(noise=rademacher)",
        "spend_or_save(future=high,noise=low,rate=0.25)",
        "subset(of=linear(m=2,order=adaptive,target=queue))",
        "subset(of=finite,share=0.1)",
        "subset(of=heavy(m=2),share=1)",
        "scaled(cost=1000,of=finite(m=2,noise=gaussian),reward=0.01)",
        "scaled(cost=0.001,of=linear(order=adaptive,target=queue,m=2),room=50)",
        "scaled(cost=7,of=spend_or_save(noise=low),reward=300)",
        "slack_then_trap(noise=gaussian,slack=0)"}) {
    specs.emplace_back(variant);
  }
  return specs;
}

inline bool adapts(const std::string& spec) { return spec.find("adaptive") != std::string::npos; }

inline bool knows_its_means(const std::string& spec) {
  return spec.find("table(") == std::string::npos && spec.find("log(") == std::string::npos;
}
// Its means are known for every round, though not as a function of the round.
inline bool estimates_its_means(const std::string& spec) {
  return spec.find("log(") != std::string::npos;
}

inline std::unique_ptr<World> world_of(const std::string& spec, std::uint64_t seed = 1,
                                       std::int64_t rounds = 200) {
  return make_world(std::string_view(spec), seed, rounds).value();
}

inline std::vector<double> means_of(const World& world, int actions) {
  std::vector<double> means(static_cast<std::size_t>(actions * world.shape().heads()));
  world.means(means);
  return means;
}

// One round as numbers: what is shown, the means, and the outcome of every action.
inline void add_round(const World& world, const Round& round, std::vector<double>& trace) {
  trace.push_back(round.actions);
  trace.insert(trace.end(), round.context.begin(), round.context.end());
  trace.insert(trace.end(), round.features.begin(), round.features.end());
  for (double mean : means_of(world, round.actions)) trace.push_back(mean);
  for (int a = 0; a < round.actions; ++a) {
    Outcome outcome;
    world.outcome(a, outcome);
    trace.push_back(outcome.reward);
    trace.insert(trace.end(), outcome.costs.begin(), outcome.costs.end());
  }
}

// The action with the smallest or largest mean cost (the first cost; the reward if there is none).
inline int extreme_action(const World& world, int actions, bool most) {
  const std::vector<double> means = means_of(world, actions);
  const auto first =
      means.end() - (world.shape().heads() > 1 ? world.shape().heads() - 1 : 1) * actions;
  const auto found =
      most ? std::max_element(first, first + actions) : std::min_element(first, first + actions);
  return static_cast<int>(found - first);
}

// The trace of a run with the actions of choose(t, actions).
template <class Choose>
std::vector<double> trace_of(World& world, int rounds, Choose choose) {
  std::vector<double> trace;
  for (int t = 0; t < rounds; ++t) {
    const Round& round = world.next();
    add_round(world, round, trace);
    const int action = choose(t, round.actions);
    Outcome outcome;
    world.outcome(action, outcome);
    world.observe(action, outcome);
  }
  return trace;
}

inline std::vector<double> trace_of(const std::string& spec, std::uint64_t seed = 1,
                                    int rounds = 200) {
  return trace_of(*world_of(spec, seed), rounds, [](int t, int actions) { return t % actions; });
}

}  // namespace rein
