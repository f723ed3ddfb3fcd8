// Mixture: the best distribution over the actions of one round under a cap on every mean cost.
//
//     max <p, f>   s.t.  <p, g_i> <= cap_i + v  for every cost i,   p a distribution
//
// v is the least number >= 0 that leaves any distribution at all: 0 where the round is feasible;
// otherwise the round is relaxed by no more than it needs, and says so. Tolerances assume numbers
// of about 1: give it rewards and costs in units.
//
// One cost: the dual has one number, and the answer mixes at most two actions. From the best
// action within the cap and one beyond it, the price of the line through them either has no action
// above it (done) or names the action that replaces one of the two: the simplex method with nothing
// left to compute, K operations a step, 2 to 4 steps as a rule.
// Several costs: a dense simplex tableau of m + 1 rows, first for v, then for the reward.
//
// It allocates nothing after construction. Checked against CLP and brute force in
// tests/solve/mixture_test.cc.
#pragma once

#include <span>
#include <vector>

#include "rein/costs.h"

namespace rein {

struct MixtureAnswer {
  double value = 0.0;    // <p, f>
  double relaxed = 0.0;  // v; 0 where the round is feasible
};

class Mixture {
 public:
  Mixture(int most_actions, int costs);

  // values[head * actions + action], head 0 the reward, head i the i-th cost. REQUIRES
  // 1 <= actions <= most_actions, finite values, one cap a cost.
  MixtureAnswer solve(std::span<const double> values, int actions, std::span<const double> caps);
  // The distribution that the last solve() found.
  std::span<const double> probabilities() const { return {p_.data(), std::size_t(actions_)}; }

 private:
  MixtureAnswer solve_free(std::span<const double> values);
  MixtureAnswer solve_one(std::span<const double> values, double cap);
  MixtureAnswer solve_many(std::span<const double> values, std::span<const double> caps);
  MixtureAnswer answer(std::span<const double> values, double relaxed);

  int fill(std::span<const double> values, std::span<const double> caps);
  bool climb(int objective, int relax_row);
  void pivot(int row, int column);
  double* row(int r) { return table_.data() + std::size_t(r) * std::size_t(stride_); }

  int costs_;
  int actions_ = 0;
  int columns_ = 0;  // actions, slacks, v
  int stride_;
  std::vector<double> p_;
  // Rows: the costs, the sum of p, then the reward's reduced values; the last column is the
  // right-hand side.
  std::vector<double> table_;
  std::vector<int> basis_;  // the column that each row stands for
  std::vector<char> banned_;
};

// The same by CLP: what Mixture falls back on should its tableau not come to an end, and what it is
// tested against. Writes the distribution into p.
MixtureAnswer mixture_by_clp(std::span<const double> values, int actions,
                             std::span<const double> caps, std::span<double> p);

}  // namespace rein
