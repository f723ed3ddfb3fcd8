// Pieces that the caller brings and passes in as arguments. docs/own.md has examples.
//
//     class Quartic : public rein::OwnPotential { ... };
//     auto policy = rein::make_policy("ccb(pricer=own(name=quartic),rounds=1000,tuning=theory)",
//                                     shape, {.potential = std::make_shared<Quartic>()});
//
// Engine::make, Engine::restore and RunOptions::own take the same aggregate. Whatever is made from
// it shares ownership of the piece. Nothing is registered globally.
#pragma once

#include <memory>
#include <string>

namespace rein {

// The potential Phi of Algorithm 2, for specs with pricer=own(name=NAME): any convex,
// non-decreasing, differentiable function of a queue. The price of a cost is the slope of Phi at
// its queue.
//
// All numbers are in units: costs and rewards divided by the largest absolute value of their range.
// The queue of a cost is the sum of what was paid, minus its rate if the setting has one. It may be
// negative. Runs call these methods from several threads at once.
class OwnPotential {
 public:
  virtual ~OwnPotential() = default;

  // The name of the potential in specs, results and saved state.
  virtual std::string name() const { return "own"; }
  // Phi(queue) of this cost. Called only while a policy is made, to check the slope.
  virtual double value(int cost, double queue) const = 0;
  // Phi'(queue), the price: at least 0, and non-decreasing in the queue.
  virtual double slope(int cost, double queue) const = 0;
};

// All pieces that a caller can bring; null members are not used.
struct Own {
  std::shared_ptr<const OwnPotential> potential = nullptr;
};

}  // namespace rein
