// exponential: price_i = lambda_i min(exp(lambda_i Q_i), M), the slope of exp(lambda Q). The
// potential is linear beyond the queue at which the slope reaches M, so every price is at most
// polynomial in T.
//
//     lambda_i = lambda_scale / (2 c sqrt(K T U) + 2 B_i),
//     M = 3 (m + 2 T + c sqrt(K T U)),       c = (m + 1)(1 + rho)
//
// rho = Terms::error_ratio(). It is 1 if U is given: then these are the paper's constants. It is
// larger if U is an oracle's own bound, because the errors then stay only below rho U
// (docs/bounds.md). For costs that are never negative. All computations use logarithms.
#pragma once

#include "rein/pricer.h"

namespace rein {

class ExponentialPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
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

// M: the cap on the growth of the potential, which also appears in the theorem's bounds.
double exponential_cap(const Terms& terms);
// lambda of one cost.
double exponential_lambda(const Terms& terms, int cost);

}  // namespace rein
