// own: price_i = Phi_i'(Q_i), the slope of a potential that the caller brings (rein/own.h).
//
//     Q_i += cost_i     in units, minus the rate in settings that have one; never reflected
//
// Algorithm 2 of the paper accepts any convex, non-decreasing, differentiable Phi. When the pricer
// is made, it checks the potential on a grid over all values that a queue can reach within the
// horizon: Phi and Phi' are finite, 0 <= Phi' <= 1e100, Phi' never decreases, and for two
// neighbours a < b of the grid
//
//     Phi'(a) (b - a) <= Phi(b) - Phi(a) <= Phi'(b) (b - a)
//
// This holds for every convex Phi, and fails if the slope belongs to another function. Points
// between the grid are not checked. If a slope breaks its conditions later, price() throws Failure
// and changes nothing.
//
// Saved state holds the name and a hash of the slopes on the grid. State of another potential is
// refused. The constants are the caller's, so no bound is printed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rein/own.h"
#include "rein/pricer.h"

namespace rein {

class OwnPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms, const Own& own);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return {}; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  OwnPrice(std::string name, std::shared_ptr<const OwnPotential> potential, const Terms& terms);
  Result<> check(int cost, double reach);

  std::string name_;
  std::shared_ptr<const OwnPotential> potential_;
  std::uint64_t print_;  // hash of the slopes on the grid
  Costs queues_;
};

}  // namespace rein
