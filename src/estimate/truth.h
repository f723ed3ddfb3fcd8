// truth: the world's true means, for experiments on pricing and exploration alone.
//
//     prediction_h(a) = f*_h(x, a), clipped to the range of the head
//
// The oracle learns nothing. U = 1, because its squared error is 0 and U is at least 1 everywhere.
// Its regret is 0. The shape must have the true functions: worlds with known means have them, a
// caller's shape may not. Setting almost_sure trains oracles on max(0, cost), whose mean differs
// from that of the cost. There this oracle returns max(0, E[cost]), which is exact only if costs
// have one sign or no noise.
#pragma once

#include "estimate/heads.h"
#include "rein/oracle.h"

namespace rein {

class Truth final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return 0; }
  void learn(const Round&, int, std::span<const double>) override {}
  double bound(std::int64_t) const override { return 1.0; }
  double regret() const override { return 0.0; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  explicit Truth(const Shape& shape) : truth_(shape.truth), heads_(shape) {}

  std::shared_ptr<const FunctionClass> truth_;
  Heads heads_;
};

}  // namespace rein
