// What the tests of policies share: problems of every shape, every policy with several specs, and
// rounds and outcomes to play them with. No world is needed: outcomes are a fixed function of the
// round, the action's id and a seed.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "owned_round.h"
#include "rein/catalog.h"
#include "rein/policy.h"

namespace rein {

struct Case {
  std::string spec;
  std::string name;  // of the shape
  Shape shape;
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

// The shortest spec of a policy, for a problem with this many costs: its name, where that is
// enough.
inline std::string least_spec(std::string_view name, int costs) {
  if (name != "stop") return std::string(name);
  std::string at;
  for (int i = 0; i < costs; ++i) at += i == 0 ? "at=[1e6" : ",1e6";
  return "stop(" + at + (costs > 0 ? "]," : "") +
         "null=0,of=ccb(setting=expectation,tuning=theory))";
}

// Policies that refuse rounds without their safe action. tests/policy/safe_test.cc has what the tests
// of every policy ask of the others.
inline bool needs_safe_action(std::string_view name) { return name == "safe" || name == "oplb"; }

// Whether what is learned depends on the order of outcomes: max(0, Q + g) is no sum, and neither is
// a share that is given away every round, nor the first half of anything.
inline bool order_matters(const std::string& spec) {
  for (const char* word : {"reflect", "loe2d", "fixed_share", "stages=2", "aupd", "pacer",
                           "banditq", "optimistic3", "pgd", "weakly_adaptive"}) {
    if (spec.find(word) != std::string::npos) return true;
  }
  // A first stage keeps the rounds that came first.
  return spec.starts_with("lincbwk") && spec.find("z=") == std::string::npos;
}

// The same for the peers of ccb.
inline std::vector<std::string> more_peer_specs(std::string_view name, int costs) {
  if (name == "stop") {
    const std::string least = least_spec("stop", costs);
    const std::string start = least.substr(0, least.find("of="));
    return {start + "of=uniform)", start + "of=ccb(setting=expectation))", start + "of=lagrange)",
            start + "of=" + start + "of=loe2d))"};
  }
  std::vector<std::string> specs;
  if (name == "loe2d") specs = {"loe2d(balanced=1,gamma_scale=3,v_scale=0.01)"};
  if (name == "lagrange") {
    specs = {"lagrange(dual=fixed_share,eta_scale=4)", "lagrange(eta=margin,margin=0.1,u=2)",
             "lagrange(delta=1,eta=3,gamma_scale=5)"};
  }
  if (name == "squarecbwk") {
    specs = {"squarecbwk(gamma_scale=8,z_scale=0.5)", "squarecbwk(explore=30,stages=2)",
             "squarecbwk(z=1.5,u=3)"};
  }
  if (name == "lincbwk")
    specs = {"lincbwk(radius_scale=0.1,z=2)", "lincbwk(explore=12,oracle=vaw)"};
  if (name == "aupd") specs = {"aupd(radius_scale=0.2,v_scale=0.1)", "aupd(delta=1,oracle=vaw)"};
  if (name == "pacer") specs = {"pacer(alpha=0,lam_scale=10,lr=1)", "pacer(cap=1,ema=1)"};
  if (name == "banditq") specs = {"banditq(targets=0.1,v_scale=0.1)", "banditq(eta_scale=20)"};
  if (name == "optimistic3") {
    specs = {"optimistic3(alpha=0.5,classes=7,law=uniform)", "optimistic3(classes=0)",
             "optimistic3(radius_scale=0.1,oracle=vaw)"};
  }
  if (name == "pgd") {
    specs = {"pgd(adaptive=0,oracle=vaw,radius_scale=0.1)",
             "pgd(margin_scale=0,step_scale=20,threshold_scale=0.01)"};
  }
  if (name == "weakly_adaptive") specs = {"weakly_adaptive(delta=1,eta_scale=50,gamma_scale=3)"};
  if (specs.empty() || costs == 0) return specs;
  specs.push_back(std::string(name) + (costs == 1 ? "(rate=0.3)" : "(rate=[0.3,100,0.1])"));
  specs.push_back(std::string(name) +
                  (costs == 1 ? "(budget=15,rounds=50)" : "(budget=[15,5e3,-10],rounds=50)"));
  return specs;
}

// Specs of one policy beyond its bare name, for a problem with this many costs.
inline std::vector<std::string> more_specs(std::string_view name, int costs) {
  if (name == "squarecb")
    return {"squarecb(gain=root_t,explorer=igw)", "squarecb(rounds=9,delta=1)"};
  if (name == "epsilon") return {"epsilon(epsilon=0.5,oracle=vaw(features=per_action,reg=0.1))"};
  if (name != "ccb") return more_peer_specs(name, costs);
  std::vector<std::string> specs = {
      "ccb(gamma_scale=20,oracle=vaw(features=per_action,reg=0.1),tuning=theory)",
      "ccb(explorer=softmax,gain=constant(gamma=5),tuning=theory,u=3)",
      "ccb(explorer=square,gain=root_t,pricer=none,tuning=theory)",
      "ccb(setting=expectation,tuning=theory)",
      "ccb(explorer=square,setting=expectation)",
      "ccb(horizon=0,setting=expectation,tuning=auto)",
      "ccb(oracle=adagrad,setting=expectation)",
      "ccb(control=0,holdout=0.1,least=0.002,setting=expectation)",
      "ccb(baseline=0,baseline_loss=0.9,setting=expectation)",
      "ccb(maximize=reward,rounds=50)",
      "ccb(cost_oracle=kernel(size=8),setting=expectation)"};
  if (costs == 0) return specs;
  specs.insert(specs.end(), {"ccb(setting=slater,tuning=theory,u=4,v_scale=0.001)",
                             "ccb(lambda_scale=3000,setting=almost_sure,tuning=theory)",
                             "ccb(pricer=quadratic(queue=reflect,v=0.1),tuning=theory)",
                             "ccb(pricer=exponential(cap=1e30,lambda=0.5),tuning=theory,u=1)",
                             "ccb(pricer=quadratic)"});
  const std::string rates = costs == 1 ? "rate=0.3" : "rate=[0.3,100,0.1]";
  const std::string budgets = costs == 1 ? "budget=150" : "budget=[150,5e4,10]";
  for (const char* setting : {"knapsack", "linear_constraints", "pacing"}) {
    specs.push_back("ccb(" + rates + ",setting=" + setting +
                    ",v_scale=0.01,lambda_scale=900,tuning=theory)");
    specs.push_back("ccb(" + budgets + ",rounds=50,setting=" + setting + ",tuning=theory)");
    specs.push_back("ccb(" + rates + ",setting=" + setting + ",tuning=auto)");
  }
  return specs;
}

// Every policy of the table, with several specs, on every problem.
inline std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Case& problem : problems()) {
    for (const Entry& entry : policies()) {
      if (needs_safe_action(entry.name)) continue;
      const int costs = problem.shape.heads() - 1;
      std::vector<std::string> specs = more_specs(entry.name, costs);
      specs.push_back(least_spec(entry.name, costs));
      for (const std::string& spec : specs) {
        out.push_back({.spec = spec, .name = problem.name, .shape = problem.shape});
      }
    }
    Shape budgeted = problem.shape;  // they come with the problem: a knapsack
    for (const CostShape& cost : budgeted.costs)
      budgeted.budgets.push_back(100.0 * cost.range.high);
    if (budgeted.costs.empty()) continue;
    for (const char* spec : {"ccb", "ccb(tuning=theory)", "loe2d", "lagrange", "squarecbwk"}) {
      out.push_back({.spec = spec, .name = problem.name + ", budgets", .shape = budgeted});
    }
  }
  // Fewer rounds than features: actions are learned together.
  Shape few{.actions = 5, .context = 40, .costs = {{"dollars", {0.0, 1.0}}}, .rounds = 15};
  out.push_back({.spec = "ccb", .name = "few rounds", .shape = few});
  few.budgets = {5.0};
  out.push_back({.spec = "ccb", .name = "few rounds, budgets", .shape = few});
  return out;
}

template <class Claim>
void for_every_case(Claim claim) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.spec + " on " + c.name);
    claim(c);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace rein
