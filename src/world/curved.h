// Curved means: what the worlds `nonlinear` and `misspecified` share.
//
// With xi uniform in the cube [-1, 1]^n, fresh every round, every action and head has a curve of
// its own that a linear function cannot follow,
//
//     smooth   n(xi) = +-cos(pi xi_p) / 2 +- sin(pi xi_q / 2) sin(pi xi_r / 2) / 2       q != r
//     steps    n(xi) = +-sign(1/2 - |xi_p|) / 2 +- sign(xi_q xi_r) / 2
//
// Both are even in xi and have mean 0 in every term: over this law no linear function of xi, with
// or without a constant, is correlated with n, and the best linear prediction of n is 0. Beside it
// stands a linear part w . xi / sqrt n, |w| = 1:
//
//     q = linear w . xi / sqrt n + curved n(xi)              in [-1, 1], linear + curved <= 1
//
// From q come the means. Action 0 is safe.
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
  int cube = 3;  // n: numbers that the means depend on
  int costs = 1;
  bool positive = false;
  bool steps = false;
  // The context is xi / sqrt n, or with a constant in front (1, xi / sqrt n) / sqrt 2.
  bool constant = false;
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
  std::vector<double> w_;      // the same, each n numbers
};

// Reads the keys that both worlds take, but for `d` (already in options.cube), and makes the
// world. The caller has asked for its own keys; this finishes the reader.
Result<std::unique_ptr<World>> make_curved(SpecReader& read, CurvedOptions options,
                                           std::uint64_t seed, std::int64_t rounds);

}  // namespace rein
