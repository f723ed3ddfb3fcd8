// Pieces of the caller's own that are passed in as arguments. docs/own.md shows them at work.
//
//     class Quartic : public rein::OwnPotential { ... };
//     auto policy = rein::make_policy("ccb(pricer=own(name=quartic),rounds=1000,tuning=theory)",
//                                     shape, {.potential = std::make_shared<Quartic>()});
//
// An engine takes the same aggregate (Engine::make, Engine::restore), and so does a run
// (RunOptions::own). What is made shares the piece and keeps it alive. Nothing is registered.
#pragma once

#include <memory>
#include <string>

namespace rein {

// Phi of Algorithm 2, for specs that say pricer=own(name=NAME): any convex, non-decreasing,
// differentiable function of a queue. The price of a cost is the slope of Phi at its queue.
//
// Everything is in units: costs and rewards divided by the largest absolute value of their range.
// The queue of a cost is the sum of what was paid, less its rate where the setting has one; it
// may be negative. Runs call from several threads at once.
class OwnPotential {
 public:
  virtual ~OwnPotential() = default;

  // Specs, results and saved state know the potential by this name.
  virtual std::string name() const { return "own"; }
  // Phi(queue) of this cost. It is asked for only when a policy is made, to check the slope.
  virtual double value(int cost, double queue) const = 0;
  // Phi'(queue): the price, at least 0, and never smaller at a larger queue.
  virtual double slope(int cost, double queue) const = 0;
};

// All pieces of the caller's own; those that are not set are not brought.
struct Own {
  std::shared_ptr<const OwnPotential> potential = nullptr;
};

}  // namespace rein
