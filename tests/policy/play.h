// What the tests of policies share: problems of every shape, every policy with several specs, and
// rounds and outcomes to play them with. No world is needed: outcomes are a fixed function of the
// round, the action's id and a seed.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "rein/catalog.h"
#include "rein/policy.h"

namespace rein {

struct Case {
  std::string spec;
  std::string name;  // of the shape
  Shape shape;
};

// A round that owns its numbers.
struct OwnedRound {
  int actions = 0;
  std::vector<double> context, features;
  std::vector<std::int32_t> ids;
  Round view() const {
    return {.actions = actions, .context = context, .features = features, .ids = ids};
  }
};

// The t-th round of a problem. Two rounds in three offer only some of the actions, by their ids;
// the others all of them.
inline OwnedRound round_of(const Shape& shape, int t, std::uint64_t seed = 1) {
  Rng rng(seed, static_cast<std::uint64_t>(t));
  OwnedRound round;
  round.actions = t % 3 == 0 ? shape.actions : 1 + static_cast<int>(rng.below(shape.actions));
  if (t % 3 != 0) {
    for (int id = 0; id < shape.actions; ++id) round.ids.push_back(id);
    for (int i = shape.actions - 1; i > 0; --i)
      std::swap(round.ids[i], round.ids[rng.below(i + 1)]);
    round.ids.resize(static_cast<std::size_t>(round.actions));
  }
  for (int i = 0; i < shape.context; ++i) round.context.push_back(2.0 * rng.uniform() - 1.0);
  for (int i = 0; i < round.actions * shape.features; ++i) {
    round.features.push_back(2.0 * rng.uniform() - 1.0);
  }
  return round;
}

// What an action gives: inside the ranges, on their ends now and then.
inline Outcome outcome_of(const Shape& shape, const Round& round, int action, int t) {
  Rng rng(static_cast<std::uint64_t>(round.id(action)) + 77, static_cast<std::uint64_t>(t));
  const auto draw = [&](const Range& range) {
    const double u = rng.uniform();
    return u < 0.05 ? range.low : u > 0.95 ? range.high : range.low + (range.high - range.low) * u;
  };
  Outcome outcome{.reward = draw(shape.reward), .costs = Costs(shape.heads() - 1)};
  for (int i = 0; i < outcome.costs.size(); ++i) outcome.costs[i] = draw(shape.costs[i].range);
  return outcome;
}

inline std::unique_ptr<Policy> make(const Case& c) { return make_policy(c.spec, c.shape).value(); }

// One policy at play, with all that it needs.
struct Game {
  explicit Game(const Case& c, std::uint64_t seed = 9)
      : policy(make(c)), rng(seed), scratch(*policy), decision(*policy) {}

  // Decides round t and learns its outcome.
  void play(int t) {
    const OwnedRound round = round_of(policy->shape(), t);
    policy->decide(round.view(), rng, scratch, decision).check();
    const Outcome outcome = outcome_of(policy->shape(), round.view(), decision.action, t);
    policy->learn(round.view(), decision, outcome).check();
  }
  void play(int from, int to) {
    for (int t = from; t < to; ++t) play(t);
  }

  std::unique_ptr<Policy> policy;
  Rng rng;
  Scratch scratch;
  Decision decision;
};

inline std::vector<double> copy(std::span<const double> numbers) {
  return {numbers.begin(), numbers.end()};
}

// Context only, features only, both, neither; each with 0, 1 and 3 costs.
inline std::vector<Case> problems() {
  std::vector<Case> out;
  for (int costs : {0, 1, 3}) {
    const Shape shapes[] = {{.actions = 5, .context = 3},
                            {.actions = 5, .features = 3},
                            {.actions = 4, .context = 2, .features = 2},
                            {.actions = 3}};
    for (Shape shape : shapes) {
      const CostShape kinds[] = {{"dollars", {0.0, 1.0}}, {"grams", {0.0, 500.0}}, {"risk", {}}};
      shape.costs.assign(kinds, kinds + costs);
      shape.rounds = 500;
      out.push_back({.name = "context " + std::to_string(shape.context) + ", features " +
                             std::to_string(shape.features) + ", costs " + std::to_string(costs),
                     .shape = shape});
    }
  }
  return out;
}

// Specs of the peers that explore by optimism or by themselves.
inline std::vector<std::string> optimist_specs(std::string_view name, int costs) {
  const std::string rates = costs == 0   ? "rounds=40"
                            : costs == 1 ? "rate=0.3"
                                         : "rate=[0.3,100,0.1]";
  const std::string with = std::string(name) + "(" + rates;
  if (name == "lincbwk")
    return {with + ",z=2,radius_scale=0.1)", "lincbwk(explore=12,oracle=vaw)", with + ")"};
  if (name == "aupd") return {with + ",radius_scale=0.2,v_scale=0.1)", "aupd(delta=1,oracle=vaw)"};
  if (name == "pacer") return {with + ",alpha=0,lam_scale=10,lr=1)", with + ",cap=1,ema=1)"};
  return {};
}

// Specs of one policy beyond its bare name, for a problem with this many costs.
inline std::vector<std::string> more_specs(std::string_view name, int costs) {
  if (auto specs = optimist_specs(name, costs); !specs.empty()) return specs;
  if (name == "squarecb")
    return {"squarecb(gain=root_t,explorer=igw)", "squarecb(rounds=9,delta=1)"};
  if (name == "epsilon") return {"epsilon(epsilon=0.5,oracle=vaw(features=per_action,reg=0.1))"};
  if (name != "ccb") return {};
  std::vector<std::string> specs = {"ccb(gamma_scale=20,oracle=vaw(features=per_action,reg=0.1))",
                                    "ccb(explorer=softmax,gain=constant(gamma=5),u=3)",
                                    "ccb(explorer=square,gain=root_t,pricer=none)",
                                    "ccb(setting=expectation,tuning=auto)",
                                    "ccb(horizon=0,setting=expectation,tuning=auto)"};
  if (costs == 0) return specs;
  specs.insert(specs.end(), {"ccb(setting=slater,v_scale=0.001,u=4)",
                             "ccb(setting=almost_sure,lambda_scale=3000)",
                             "ccb(pricer=quadratic(queue=reflect,v=0.1))",
                             "ccb(pricer=exponential(lambda=0.5,cap=1e30),u=1)"});
  const std::string rates = costs == 1 ? "rate=0.3" : "rate=[0.3,100,0.1]";
  const std::string budgets = costs == 1 ? "budget=150" : "budget=[150,5e4,10]";
  for (const char* setting : {"knapsack", "linear_constraints", "pacing"}) {
    specs.push_back("ccb(" + rates + ",setting=" + setting + ",v_scale=0.01,lambda_scale=900)");
    specs.push_back("ccb(" + budgets + ",rounds=50,setting=" + setting + ")");
    specs.push_back("ccb(" + rates + ",setting=" + setting + ",tuning=auto)");
  }
  return specs;
}

// Every policy of the table, with several specs, on every problem.
inline std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Case& problem : problems()) {
    for (const Entry& entry : policies()) {
      std::vector<std::string> specs = more_specs(entry.name, problem.shape.heads() - 1);
      specs.emplace_back(entry.name);
      for (const std::string& spec : specs) {
        out.push_back({.spec = spec, .name = problem.name, .shape = problem.shape});
      }
    }
    Shape budgeted = problem.shape;  // the budgets come with the problem: ccb becomes a knapsack
    for (const CostShape& cost : budgeted.costs)
      budgeted.budgets.push_back(100.0 * cost.range.high);
    if (!budgeted.costs.empty()) {
      out.push_back({.spec = "ccb", .name = problem.name + ", budgets", .shape = budgeted});
    }
  }
  return out;
}

// Late outcomes in another order leave another state: max(0, Q + g) is no sum, a moving average
// forgets, a first stage keeps the rounds that came first.
inline bool order_matters(const std::string& spec) {
  for (const char* name : {"reflect", "aupd", "pacer", "banditq", "optimistic3"}) {
    if (spec.find(name) != std::string::npos) return true;
  }
  return spec.starts_with("lincbwk") && spec.find("z=") == std::string::npos;
}

// Prices that share one mass: where one rises another may fall.
inline bool prices_share(const std::string& spec) { return spec.starts_with("lincbwk"); }

template <class Claim>
void for_every_case(Claim claim) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.spec + " on " + c.name);
    claim(c);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace rein
