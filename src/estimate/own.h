// BroughtOracle: an oracle that the caller brings (rein/own_oracle.h), checked on every call. Its
// means are clipped to the ranges of their heads. A mean that is not finite throws Failure and
// leads to no decision.
//
// Its state stays with the caller: save() writes nothing of it, so it is in no snapshot and no
// state hash. U is what holds for any oracle: 4 per round in units, since means and predictions lie
// within [-1, 1]. A caller who knows a better bound sets u= in the policy's spec.
#pragma once

#include <memory>

#include "estimate/heads.h"
#include "rein/oracle.h"

namespace rein {

class BroughtOracle final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);
  BroughtOracle(std::unique_ptr<Oracle> brought, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return brought_->scratch(); }
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  int dimension() const override { return brought_->dimension(); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  std::unique_ptr<Oracle> brought_;
  Heads heads_;
};

}  // namespace rein
