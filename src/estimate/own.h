// BroughtOracle: an oracle that the caller brings (rein/own.h), checked on every call. Its means
// are clipped to the ranges of their heads. A mean that is not finite throws Failure, and no
// decision is made.
//
// U is what holds for any oracle: 4 per round in units, since means and predictions lie within
// [-1, 1]. A caller who knows a better bound sets u= in the policy's spec.
#pragma once

#include <memory>

#include "estimate/heads.h"
#include "rein/oracle.h"

namespace rein {

class BroughtOracle final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape, const Own& own);
  BroughtOracle(std::unique_ptr<OwnOracle> brought, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return 0; }
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  int dimension() const override { return brought_->dimension(); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  std::unique_ptr<OwnOracle> brought_;
  Heads heads_;
};

}  // namespace rein
