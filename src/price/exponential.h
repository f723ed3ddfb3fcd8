// exponential: price_i = lambda_i min(exp(lambda_i Q_i), M), the slope of exp(lambda Q), made
// linear beyond the queue at which it reaches M so that no price can outgrow a polynomial in T.
//
//     lambda_i = lambda_scale / (2 c sqrt(K T U) + 2 B_i),
//     M = 3 (m + 2 T + c sqrt(K T U)),       c = (m + 1)(1 + rho)
//
// rho = Terms::error_ratio(): 1 where U is given, and the paper's constants; more where U is an
// oracle's own bound, because the errors stay below rho U only (docs/bounds.md).
// For costs that are never negative. Works on logarithms throughout.
#pragma once

#include "rein/pricer.h"

namespace rein {

class ExponentialPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, std::span<const double> costs) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return lambdas_; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  ExponentialPrice(const Costs& lambdas, double cap);

  Costs lambdas_;
  Costs log_lambdas_;
  double log_cap_;
  Costs queues_;
};

// M: what a potential's growth is capped at, and what the bounds of the theorem contain.
double exponential_cap(const Terms& terms);
// lambda of one cost.
double exponential_lambda(const Terms& terms, int cost);

}  // namespace rein
