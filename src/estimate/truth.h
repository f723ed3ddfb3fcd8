// truth: the world's true means, for experiments on price and exploration alone.
//
//     prediction_h(a) = f*_h(x, a), clipped to the range of the head
//
// It learns nothing; U = 1 (its squared error is 0, and U is floored at 1 everywhere), regret 0.
// Needs a shape that carries its truth: worlds with known means have one, a caller's own shape need
// not. Setting almost_sure trains oracles on max(0, cost), whose mean is not the mean of the cost:
// there this oracle gives max(0, E[cost]), which is the truth only where costs have one sign or no
// noise.
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
