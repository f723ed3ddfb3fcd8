// square: inverse gap weighting as SquareCB prints it (Foster, Rakhlin 2020): for every action but
// the best one p_a = 1 / (mu + gamma gap_a), and the rest on the best. mu = K by default.
#pragma once

#include "rein/explorer.h"

namespace rein {

class Square final : public Explorer {
 public:
  static Result<std::unique_ptr<Explorer>> make(const Spec& spec);
  // mu = 0 stands for K.
  explicit Square(double mu) : mu_(mu) {}
  void explore(std::span<const double> scores, double gamma,
               std::span<double> probabilities) const override;

 private:
  double mu_;
};

}  // namespace rein
