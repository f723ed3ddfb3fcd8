// A FunctionClass for tests: linear functions of (context, action features), one weight vector a
// head, clipped by nobody.
#pragma once

#include <cstddef>
#include <vector>

#include "rein/oracle.h"

namespace rein {

class ListedFunctions final : public FunctionClass {
 public:
  // weights[function][head][j]; j runs over the action's features, then the id of the action where
  // a function has one weight more than that (an effect of its own for every action).
  using Weights = std::vector<std::vector<std::vector<double>>>;
  explicit ListedFunctions(Weights weights) : weights_(std::move(weights)) {}

  int size() const override { return static_cast<int>(weights_.size()); }
  void evaluate(int function, const Round& round, int action,
                std::span<double> out) const override {
    const std::size_t d = round.features.size() / static_cast<std::size_t>(round.actions);
    const double* row = round.features.data() + static_cast<std::size_t>(action) * d;
    for (std::size_t h = 0; h < out.size(); ++h) {
      const std::vector<double>& w = weights_[static_cast<std::size_t>(function)][h];
      double value = w.size() > d ? w[d] * round.id(action) : 0.0;
      for (std::size_t j = 0; j < d; ++j) value += w[j] * row[j];
      out[h] = value;
    }
  }

 private:
  Weights weights_;
};

}  // namespace rein
