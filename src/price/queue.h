// queue: price_i = Q_i / V, Q_i <- max(0, Q_i + c_i - b), in knapsack form (price/forms.h): costs
// in [0, 1], one rate b for all of them.
//
// V = v_scale b sqrt(T) by default, as in AUPD (Guo, Liu, ICLR 2025): with a smaller budget the
// price rises sooner. V is the paper's. Two details are inferred: the queue is reflected at 0, and
// V multiplies the reward (f - (Q / V) c).
#pragma once

#include "price/forms.h"
#include "rein/pricer.h"

namespace rein {

class QueuePrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return Costs(queues_.size(), v_); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  QueuePrice(const Form& form, double v) : form_(form), v_(v), queues_(form.size()) {}

  Form form_;
  double v_;
  Costs queues_;
};

}  // namespace rein
