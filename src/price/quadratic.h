// quadratic: price_i = 2 max(Q_i, 0) / V, the slope of the potential (Q+)^2 / V.
//
// V = v_scale sqrt(K T U), and under linear_constraints v_scale (sqrt(K T U) + |B|). Without a
// horizon V_t = v_scale sqrt(K t U_t) in round t, with U_t of Terms::u_at: it grows, so that no price
// rises because V changed. Queues:
// - positive: Q += g, and only the positive part is priced (the default)
// - reflect: Q = max(0, Q + g); slack is not saved for later
// - literal: Q += g, and a negative queue gives a negative price, as printed in the paper. It then
//   rewards cost, and its regret is linear on world two_arm. For ablation only.
//
// The positive part keeps every constant of the proof: ((x+g)+)^2 <= (x+)^2 + 2 x+ g + g^2.
#pragma once

#include <optional>

#include "rein/pricer.h"

namespace rein {

class QuadraticPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return Costs(queues_.size(), v()); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  enum class Queue { kPositive, kReflect, kLiteral };
  QuadraticPrice(int costs, double v, Queue queue) : v_(v), queue_(queue), queues_(costs) {}

  double v() const;  // in the next round

  double v_;
  Queue queue_;
  Costs queues_;
  std::optional<Terms> grows_;  // without a horizon
  std::int64_t rounds_ = 0;     // learned
};

}  // namespace rein
