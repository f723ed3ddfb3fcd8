// square: inverse gap weighting as printed for SquareCB (Foster, Rakhlin 2020). p_a = 1 / (mu +
// gamma gap_a) for every action except the best, which gets the rest. mu = K by default.
#pragma once

#include "explore/explorer.h"

namespace rein {

class Square final : public Explorer {
 public:
  static Result<std::unique_ptr<Explorer>> make(const Spec& spec);
  // mu = 0 means K.
  explicit Square(double mu) : mu_(mu) {}
  void explore(std::span<const double> scores, double gamma,
               std::span<double> probabilities) const override;

 private:
  double mu_;
};

}  // namespace rein
