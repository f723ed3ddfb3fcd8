// Curved means: the common part of the worlds `nonlinear` and `misspecified`.
//
// xi is uniform in the cube [-1, 1]^n and drawn in every round. Every action and head has its own
// curve, which no linear function can follow:
//
//     smooth   n(xi) = +-cos(pi xi_p) / 2 +- sin(pi xi_q / 2) sin(pi xi_r / 2) / 2       q != r
//     steps    n(xi) = +-sign(1/2 - |xi_p|) / 2 +- sign(xi_q xi_r) / 2
//
// Both are even in xi and every term has mean 0. So no linear function of xi, with or without a
// constant, is correlated with n, and the best linear prediction of n is 0. A linear part w . xi /
// sqrt n, |w| = 1, is added:
//
//     q = linear w . xi / sqrt n + curved n(xi)              in [-1, 1], linear + curved <= 1
//
// The means are computed from q. Action 0 is safe.
//
//     signed costs     cost_i(a) = q_i,  of action 0: -margin + (q_i - 1) / 10
//                      reward = (1 - tension) q_0 + tension (mean of the costs)
//     positive costs   cost_i(a) = (1 + q_i) / 2,  of action 0: safe (1 + q_i) / 2
//                      reward = (1 - tension) (1 + q_0) / 2 + tension (mean of the costs)
#pragma once

#include <cstdint>
#include <vector>

#include "rein/oracle.h"
#include "rein/world.h"
#include "world/noise.h"

namespace rein {

struct CurvedOptions {
  int actions = 4;
  int cube = 3;  // n: the count of numbers that the means depend on
  int costs = 1;
  bool positive = false;
  bool steps = false;
  // The context is xi / sqrt n, or with a constant first (1, xi / sqrt n) / sqrt 2.
  bool constant = false;
  // With a constant: in place of xi / sqrt n the context shows (1 - spread) / sqrt n + spread xi /
  // sqrt n, numbers that hardly vary.
  double spread = 1.0;
  double linear = 0.0;
  double curved = 1.0;
  double margin = 0.1;
  double safe = 0.05;
  double tension = 0.5;
};

class CurvedMeans final : public FunctionClass {
 public:
  CurvedMeans(const CurvedOptions& options, std::uint64_t seed);
  int size() const override { return 1; }
  void evaluate(int function, const Round& round, int action, std::span<double> out) const override;

 private:
  struct Curve {
    int p = 0, q = 0, r = 0;
    double first = 0.5, second = 0.5;  // with their signs
  };
  double unit(std::span<const double> context, int action, int head) const;

  CurvedOptions options_;
  std::vector<Curve> curves_;  // [action * heads + head]
  std::vector<double> w_;      // the same order, n numbers each
};

// Reads the keys that both worlds share, except `d` (already in options.cube), and makes the world.
// The caller reads its own keys first; this function finishes the reader.
Result<std::unique_ptr<World>> make_curved(SpecReader& read, CurvedOptions options,
                                           std::uint64_t seed, std::int64_t rounds);

}  // namespace rein
