// World: rounds, and what any action would give, for experiments.
//
// A world may adapt to past actions; it never sees the policy. Noise is a pure function of (seed,
// round, action), so every policy that runs on one seed meets the same world.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rein/result.h"
#include "rein/round.h"
#include "rein/shape.h"
#include "rein/spec.h"

namespace rein {

class World {
 public:
  virtual ~World() = default;

  // Includes the truth and the class of functions, where the world has them.
  virtual const Shape& shape() const = 0;
  // The next round; its views stay valid until the next call.
  virtual const Round& next() = 0;
  // What this action gives in the present round. Asking changes nothing.
  virtual void outcome(int action, Outcome& out) const = 0;
  // The true means of the present round, means[head * actions + action]: what comparators and
  // regret are made of. A world without known means gives its outcomes.
  virtual void means(std::span<double> out) const = 0;
  // The most that every cost of the present round can come to, out[cost * actions + action], for
  // benchmarks that may never pay. False where the world cannot say.
  virtual bool highest(std::span<double> out) const;
  // Tells the world which action was taken, for worlds that adapt.
  virtual void observe(int action, const Outcome& outcome) = 0;
  // Whether what was observed may change later rounds. False promises that every policy meets the
  // same rounds, so that a benchmark of them need be computed only once.
  virtual bool adapts() const;
  // Whether rounds are independent draws of one law, whatever was played, and next() goes on with
  // it past the number of rounds. Only then is there a best stationary policy to compare with.
  virtual bool iid() const;
};

inline bool World::highest(std::span<double> /*out*/) const { return false; }
inline bool World::adapts() const { return true; }
inline bool World::iid() const { return false; }

// Makes the world that the spec names, for one seed and a number of rounds.
Result<std::unique_ptr<World>> make_world(std::string_view spec, std::uint64_t seed,
                                          std::int64_t rounds);
Result<std::unique_ptr<World>> make_world(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds);

}  // namespace rein
