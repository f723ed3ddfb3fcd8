// World: produces rounds, and the outcome of any action, for experiments.
//
// A world may adapt to past actions, but it never sees the policy. Noise is a pure function of
// (seed, round, action), so every policy that runs on the same seed meets the same world.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rein/own.h"
#include "rein/result.h"
#include "rein/round.h"
#include "rein/shape.h"
#include "rein/spec.h"

namespace rein {

class World {
 public:
  virtual ~World() = default;

  // Includes the true functions and the function class, if the world has them.
  virtual const Shape& shape() const = 0;
  // Moves to the next round. Its views stay valid until the next call.
  virtual const Round& next() = 0;
  // The outcome of this action in the current round. Changes nothing.
  virtual void outcome(int action, Outcome& out) const = 0;
  // The true means of the current round: out[head * actions + action]. Comparators and regret are
  // computed from them. A world without known means writes its outcomes.
  virtual void means(std::span<double> out) const = 0;
  // The largest possible value of each cost in the current round: out[cost * actions + action].
  // Used by benchmarks that must keep the constraint with certainty. Returns false if the world
  // cannot say.
  virtual bool highest(std::span<double> out) const;
  // Tells the world which action was taken, for worlds that adapt.
  virtual void observe(int action, const Outcome& outcome) = 0;
  // Whether observed actions may change later rounds. False guarantees that every policy meets the
  // same rounds, so that their benchmark is computed only once.
  virtual bool adapts() const;
  // Whether rounds are independent draws from one distribution, whatever is played, and next() may
  // be called beyond the number of rounds. Only then is there a best stationary policy to compare
  // with.
  virtual bool iid() const;
};

inline bool World::highest(std::span<double> /*out*/) const { return false; }
inline bool World::adapts() const { return true; }
inline bool World::iid() const { return false; }

// Makes the world that the spec names, for one seed and a number of rounds. `own` holds the worlds
// that the caller brings.
Result<std::unique_ptr<World>> make_world(std::string_view spec, std::uint64_t seed,
                                          std::int64_t rounds, const Own& own = {});
Result<std::unique_ptr<World>> make_world(const Spec& spec, std::uint64_t seed, std::int64_t rounds,
                                          const Own& own = {});

}  // namespace rein
