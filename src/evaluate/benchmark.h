// Benchmark: the best possible value, for each round and over all rounds.
//
//     per round   OPT_t = max <p, f*>  s.t. <p, g_i*> <= cap_i        (almost_sure: p on safe
//                 actions)
//     long term   OPT = max sum_t <p_t, f*_t>  s.t. sum_t <p_t, g*_{t,i}> <= B_i
//     stationary  OPT = max T E<pi(x), f*>  s.t. T E<pi(x), g_i*> <= B_i    (evaluate/stationary.h)
//
// docs/comparators.md defines cap and B for each setting. A round without a feasible distribution
// is relaxed by the smallest amount that makes it feasible, and counted. Inside, everything is in
// units; returned values are in the units of the shape.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rein/pricer.h"
#include "rein/shape.h"
#include "rein/world.h"
#include "solve/long_term.h"
#include "solve/mixture.h"

namespace rein {

struct BenchmarkOptions {
  Setting setting = Setting::kExpectation;
  std::vector<double> budgets;  // totals, in the units of the shape; empty if there are none
  std::int64_t rounds = 1;
  double margin = 0.0;  // Slater's eps, in units
  bool long_term = true;
  bool stationary = false;  // for iid worlds; see make_benchmark()
  Own own = {};             // worlds that the caller brings
};

// OPT over all rounds, by kind; NaN if it was not asked for or not found.
struct BenchmarkTotals {
  double long_term = 0.0;
  double stationary = 0.0;
  std::int64_t infeasible_rounds = 0;
  double margin = 0.0;  // Slater's margin of these rounds; NaN in other settings
};

class Benchmark {
 public:
  Benchmark(const Shape& shape, const BenchmarkOptions& options);

  // OPT_t of the world's current round. `means` are those of World::means.
  double best(const World& world, std::span<const double> means, int actions);
  // OPT over all rounds passed to best(); NaN if it was not asked for or is too large.
  double best_long_term();
  // From now on, also counts the best stationary policy, given by its prices (in units).
  void count_stationary(const Costs& prices) { stationary_prices_ = prices; }
  // OPT of the best stationary policy over all rounds passed to best(); NaN if it is not counted.
  double best_stationary() const;
  std::int64_t infeasible_rounds() const { return infeasible_; }
  // The largest number by which some distribution kept every cost below 0, in every round so far.
  // Setting slater only; NaN in others.
  double margin() const;
  BenchmarkTotals totals() {
    return {best_long_term(), best_stationary(), infeasible_, margin()};
  }

 private:
  double margin_of(std::span<const double> values, int actions);
  double best_priced(std::span<const double> values, int actions) const;
  double best_safe(const World& world, std::span<const double> values, int actions);
  double best_within(std::span<const double> values, std::span<const double> costs, int actions,
                     double* over) const;

  Setting setting_;
  std::vector<double> units_;  // of the reward and every cost
  bool plain_;                 // whether all units are 1
  std::vector<double> caps_;
  std::vector<double> lowest_caps_;  // -1 for every cost: by how far they must be relaxed
  std::vector<double> budgets_;
  Mixture mixture_;
  std::optional<LongTerm> long_term_;
  std::optional<Costs> stationary_prices_;
  double stationary_ = 0.0;  // sum of the best values at those prices
  std::int64_t infeasible_ = 0;
  double margin_ = 1.0;
  std::vector<double> values_;   // means in units
  std::vector<double> highest_;  // largest value of every cost, in units
};

}  // namespace rein
