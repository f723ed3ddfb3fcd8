// finite: exponential weights over a finite list of functions, separately for each head.
//
//     L_f          = sum over rounds learned of (f(x, a) - y)^2              in units
//     weight_f     ~ exp(-eta (L_f - min L)),  eta = 1/8
//     prediction   = sum_f weight_f f(x, a)
//
// Assumes that one function of the list is the true mean. With predictions and outcomes in [-1, 1]
// the square loss is 1/8-exp-concave. So the loss exceeds that of the best function by at most
// ln|F| / eta: U = 8 ln|F|, for any rounds. (Vovk 1990; Cesa-Bianchi, Lugosi 2006, 3.3.)
//
// Each head has its own weights: a function that is wrong about a cost still counts for the reward.
// predict() evaluates all functions at all actions, |F| K calls; learn() makes |F| calls. Setting
// almost_sure trains on max(0, cost): its list must contain the mean of max(0, cost).
#pragma once

#include <vector>

#include "estimate/heads.h"
#include "rein/oracle.h"

namespace rein {

class Finite final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return 0; }
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  explicit Finite(const Shape& shape);

  // Computes the weights from the losses. Only the losses are saved.
  void weigh();
  std::size_t at(int function, int head) const {
    return static_cast<std::size_t>(function) * static_cast<std::size_t>(heads_.size()) +
           static_cast<std::size_t>(head);
  }

  std::shared_ptr<const FunctionClass> functions_;
  Heads heads_;
  std::vector<double> losses_;   // functions x heads: L_f
  std::vector<double> weights_;  // functions x heads: a distribution for every head
  std::vector<double> values_;   // functions x heads, for learn()
  std::vector<double> loss_;     // loss of our own predictions, one per head
};

}  // namespace rein
