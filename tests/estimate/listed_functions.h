// A FunctionClass for tests: linear functions of the context, the action's features and its id.
#pragma once

#include <cstddef>
#include <vector>

#include "rein/oracle.h"

namespace rein {

class ListedFunctions final : public FunctionClass {
 public:
  // weights[function][head][j]; j runs over the action's features, then over the context; one
  // weight more than that multiplies the id of the action.
  using Weights = std::vector<std::vector<std::vector<double>>>;
  ListedFunctions(int features, Weights weights)
      : features_(static_cast<std::size_t>(features)), weights_(std::move(weights)) {}

  int size() const override { return static_cast<int>(weights_.size()); }
  void evaluate(int function, const Round& round, int action,
                std::span<double> out) const override {
    for (std::size_t h = 0; h < out.size(); ++h) {
      const std::vector<double>& w = weights_[static_cast<std::size_t>(function)][h];
      double value = 0.0;
      if (!round.features.empty()) {
        const double* row = round.features.data() + static_cast<std::size_t>(action) * features_;
        for (std::size_t j = 0; j < features_; ++j) value += w[j] * row[j];
      } else if (!round.sparse.begin.empty()) {
        for (int j = round.sparse.begin[action]; j < round.sparse.begin[action + 1]; ++j) {
          value += w[static_cast<std::size_t>(round.sparse.index[j])] * round.sparse.value[j];
        }
      }
      std::size_t at = features_;
      for (double x : round.context) value += w[at++] * x;
      if (w.size() > at) value += w[at] * round.id(action);
      out[h] = value;
    }
  }

 private:
  std::size_t features_;
  Weights weights_;
};

}  // namespace rein
