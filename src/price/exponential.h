// exponential: price_i = lambda_i min(exp(lambda_i Q_i), M), the slope of exp(lambda Q). The
// potential is linear beyond the queue at which the slope reaches M, so every price is at most
// polynomial in T.
//
//     lambda_i = lambda_scale / (2 c sqrt(K T U) + 2 B_i),
//     M = 3 (m + 2 T + c sqrt(K T U)),       c = (m + 1)(1 + rho)
//
// rho = Terms::error_ratio(). It is 1 if U is given: then these are the paper's constants. It is
// larger if U is an oracle's own bound, because the errors then stay only below rho U
// (docs/bounds.md). Without a horizon the queues start again at 0 in every block of rounds
// (Terms::of_block), with the lambda and M of a horizon of that length. For costs that are never negative. All computations use logarithms.
#pragma once

#include <vector>

#include "rein/pricer.h"

namespace rein {

class ExponentialPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return curve().lambdas; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  struct Curve {
    Costs lambdas;
    Costs logs = {};  // of the lambdas
    double log_cap = 0.0;
  };
  explicit ExponentialPrice(int costs) : queues_(costs) {}
  const Curve& curve() const;  // of the next round

  std::vector<Curve> curves_;  // one, or one per block of rounds
  bool restarts_ = false;      // in every block
  Costs queues_;
  std::int64_t rounds_ = 0;  // learned
};

// M: the cap on the growth of the potential, which also appears in the theorem's bounds.
double exponential_cap(const Terms& terms);
// lambda of one cost.
double exponential_lambda(const Terms& terms, int cost);

}  // namespace rein
