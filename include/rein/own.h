// Own: pieces that the caller brings. Each has a name, and a spec refers to it by that name:
//
//     oracle=own(name=NAME)     an OwnOracle
//     pricer=own(name=NAME)     an OwnPotential
//     own(name=NAME) an OwnPolicy as the spec of a policy, an OwnWorld as the spec of a world
//
// `own` alone means the name "own". The pieces are passed as an argument to make_policy,
// make_world, make_oracle, Engine::make, Engine::restore, and in RunOptions::own:
//
//     rein::Own own;
//     own.oracles["mine"] = [](const rein::Shape& shape) { return std::make_unique<Mine>(shape); };
//     auto policy = rein::make_policy("ccb(oracle=own(name=mine),rounds=1000)", shape, own);
//
// Nothing is registered globally. docs/own.md has examples.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "rein/bytes.h"
#include "rein/costs.h"
#include "rein/estimates.h"
#include "rein/result.h"
#include "rein/round.h"
#include "rein/shape.h"

namespace rein {

// Estimates the reward and every cost of every action, and learns from outcomes.
//
// The library clips the means to the ranges of the shape. A number that is not finite throws
// Failure, and no decision is made. An exception of yours comes out of decide() or learn(). The
// policy is then as it was, and so is your oracle: load() gets the bytes of the save() before the
// call. So save() is called once per learn().
class OwnOracle {
 public:
  virtual ~OwnOracle() = default;

  // Writes estimates.mean(head)[action] for every head and action of the round: head 0 is the
  // reward, head i is cost i. May write estimates.width(), which is 0 otherwise; then override
  // dimension(). Called from several threads at once if decide() is.
  virtual void predict(const Round& round, Estimates& estimates) const = 0;
  // Learns the outcomes of one action: the reward, then every cost.
  virtual void learn(const Round& round, int action, std::span<const double> outcomes) = 0;
  // Whether learn() takes outcomes that come in parts: a number that is NaN has not come. If false,
  // an outcome with NaN throws Failure.
  virtual bool learns_parts() const { return false; }
  // Everything that was learned. load() must accept what save() wrote; the rest it may refuse.
  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;

  // Number of features that the widths are computed from; 0: it writes no widths.
  virtual int dimension() const { return 0; }
};

// The potential Phi of Algorithm 2: any convex, non-decreasing, differentiable function of a queue.
// The price of a cost is the slope of Phi at its queue.
//
// All numbers are in units: costs and rewards divided by the largest absolute value of their range.
// The queue of a cost is the sum of what was paid, minus its rate if the setting has one. It may be
// negative. Runs call these methods from several threads at once.
class OwnPotential {
 public:
  virtual ~OwnPotential() = default;

  // Phi(queue) of this cost. Called only while a policy is made, to check the slope.
  virtual double value(int cost, double queue) const = 0;
  // Phi'(queue), the price: at least 0, and non-decreasing in the queue.
  virtual double slope(int cost, double queue) const = 0;
};

// A policy. The library checks rounds and outcomes, draws the action, counts what was spent, and
// saves. Rounds and outcomes fit the shape.
class OwnPolicy {
 public:
  virtual ~OwnPolicy() = default;

  // Writes one probability per action of the round; they sum to 1. `spent` has one number per cost,
  // in the units of the shape: what was spent, plus what open decisions may still cost. Called from
  // several threads at once if decide() is.
  virtual void choose(const Round& round, const Costs& spent,
                      std::span<double> probabilities) const = 0;
  // Learns the outcome of an action that was played with this probability.
  virtual void learn(const Round& round, int action, double probability,
                     const Outcome& outcome) = 0;
  // Everything that was learned. load() must accept what save() wrote; the rest it may refuse.
  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// A world for experiments: rounds, and the outcome of any action. Take all randomness from the
// seed, so that every policy meets the same world.
class OwnWorld {
 public:
  virtual ~OwnWorld() = default;

  virtual const Shape& shape() const = 0;
  // Moves to the next round. Its views stay valid until the next call.
  virtual const Round& next() = 0;
  // The outcome of this action in the current round. Changes nothing.
  virtual void outcome(int action, Outcome& out) const = 0;

  // The true means of the current round, out[head * actions + action]. False: they are unknown, and
  // the outcomes are used in their place.
  virtual bool means(std::span<double> /*out*/) const { return false; }
  // The largest possible value of each cost, out[cost * actions + action]. False: unknown.
  virtual bool highest(std::span<double> /*out*/) const { return false; }
  // The action that was taken in the current round.
  virtual void observe(int /*action*/, const Outcome& /*outcome*/) {}
  // Whether observed actions may change later rounds.
  virtual bool adapts() const { return true; }
  // Whether rounds are independent draws from one distribution, without end.
  virtual bool iid() const { return false; }
};

// Functions that make a piece. They may be called more than once, and a run calls them from several
// threads at once. A potential has no state, so the potential itself is passed and shared.
using OwnOracleMaker = std::function<Result<std::unique_ptr<OwnOracle>>(const Shape& shape)>;
using OwnPolicyMaker = std::function<Result<std::unique_ptr<OwnPolicy>>(const Shape& shape)>;
using OwnWorldMaker =
    std::function<Result<std::unique_ptr<OwnWorld>>(std::uint64_t seed, std::int64_t rounds)>;

// The pieces of a caller by name. A piece that no spec uses is refused.
struct Own {
  std::map<std::string, OwnOracleMaker> oracles;
  std::map<std::string, std::shared_ptr<const OwnPotential>> potentials;
  std::map<std::string, OwnPolicyMaker> policies;
  std::map<std::string, OwnWorldMaker> worlds;
};

}  // namespace rein
