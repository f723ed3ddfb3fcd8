// Mixture: the best distribution over the actions of one round under a cap on every mean cost.
//
//     max <p, f>   s.t.  <p, g_i> <= cap_i + v  for every cost i,   p a distribution
//
// v is the smallest number >= 0 for which a distribution exists: 0 if the round is feasible.
// Otherwise the round is relaxed by v, and the answer says so. Tolerances assume numbers of about
// 1: pass rewards and costs in units.
//
// One cost: the dual is one number, and the solution mixes at most two actions. The solver starts
// from the best action within the cap and an action beyond the cap. If no action lies above the
// line through these two, the solver is done. Otherwise the action farthest above the line replaces
// one of the two. This is the simplex method for one cost: K operations per step, usually 2 to 4
// steps.
//
// Several costs: a dense simplex tableau of m + 1 rows, first for v, then for the reward.
//
// A Mixture allocates nothing after construction. Checked against CLP and brute force in
// tests/solve/mixture_test.cc.
#pragma once

#include <span>
#include <vector>

#include "rein/costs.h"

namespace rein {

struct MixtureAnswer {
  double value = 0.0;    // <p, f>
  double relaxed = 0.0;  // v; 0 if the round is feasible
};

class Mixture {
 public:
  Mixture(int most_actions, int costs);

  // values[head * actions + action], where head 0 is the reward and head i is cost i. REQUIRES 1 <=
  // actions <= most_actions, finite values, one cap per cost.
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
  // Rows: the costs, the sum of p, then the reduced rewards. The last column is the right-hand
  // side.
  std::vector<double> table_;
  std::vector<int> basis_;  // the basic column of each row
  std::vector<char> banned_;
};

// The same problem solved by CLP, for tests, and for a Mixture whose tableau does not terminate.
// Writes the distribution to p. Without CLP, Mixture returns the last distribution of its tableau,
// which meets the caps.
MixtureAnswer mixture_by_clp(std::span<const double> values, int actions,
                             std::span<const double> caps, std::span<double> p);

}  // namespace rein
