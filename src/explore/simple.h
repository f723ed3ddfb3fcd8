// The explorers that need only one line each.
//
//   greedy   all on the largest score, ties share
//   epsilon  epsilon of the mass uniformly on what is not barred, the rest greedy
//   softmax  p_a proportional to exp(gamma score_a)
//   uniform  1 / K
#pragma once

#include "explore/explorer.h"

namespace rein {

class Greedy final : public Explorer {
 public:
  static Result<std::unique_ptr<Explorer>> make(const Spec& spec);
  void explore(std::span<const double> scores, double gamma,
               std::span<double> probabilities) const override;
};

class Epsilon final : public Explorer {
 public:
  static Result<std::unique_ptr<Explorer>> make(const Spec& spec);
  explicit Epsilon(double epsilon) : epsilon_(epsilon) {}
  void explore(std::span<const double> scores, double gamma,
               std::span<double> probabilities) const override;

 private:
  double epsilon_;
};

class Softmax final : public Explorer {
 public:
  static Result<std::unique_ptr<Explorer>> make(const Spec& spec);
  void explore(std::span<const double> scores, double gamma,
               std::span<double> probabilities) const override;
};

class Uniform final : public Explorer {
 public:
  static Result<std::unique_ptr<Explorer>> make(const Spec& spec);
  void explore(std::span<const double> scores, double gamma,
               std::span<double> probabilities) const override;
};

}  // namespace rein
