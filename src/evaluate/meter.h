// Meter: measures one policy on one seed, round by round. docs/metrics.md defines every figure.
#pragma once

#include <span>
#include <vector>

#include "rein/policy.h"
#include "rein/run.h"

namespace rein {

// One round as it was played: the decision, the outcome, the true means of all actions (as in
// World::means) and the benchmark's value.
struct PlayedRound {
  const Decision& decision;
  const Outcome& outcome;
  std::span<const double> means;
  int actions;
  double best;
};

struct MeterOptions {
  std::int64_t rounds = 1;
  int curve_points = 0;
  // The heads whose error against the true means is counted. kReward: costs are learned in another
  // form. kNone: there is no oracle, or the means are unknown.
  enum class Errors { kAll, kReward, kNone } errors = Errors::kAll;
  std::vector<double> budgets;  // totals, in the units of the shape; empty if there are none
  double share = 0.99;          // share of the rounds for ccv_share
  bool means_known = false;     // `means` are the true ones
};

// The largest numbers of a sequence, up to a fixed count.
class Largest {
 public:
  explicit Largest(std::size_t room) : room_(room) {}
  void add(double x);
  // The smallest of them. REQUIRES at least as many additions as the fixed count.
  double least() const { return heap_.front(); }

 private:
  std::size_t room_;
  std::vector<double> heap_;  // smallest number first
};

class Meter {
 public:
  // `shape` is that of the world.
  Meter(const Shape& shape, const MeterOptions& options);

  void add(const PlayedRound& played);
  // A round in which no action could be played: it earns nothing, and costs nothing.
  void add_refused(double best);
  // The totals of all rounds, except figures that need a benchmark or the policy.
  Totals totals() const;
  // The sum of the true mean rewards of the actions played; benchmarks are compared with it.
  double mean_reward() const { return mean_reward_; }
  Curve take_curve() { return std::move(curve_); }

 private:
  void add_costs(const Outcome& outcome);
  void add_errors(const PlayedRound& played);
  bool is_unsafe(const PlayedRound& played) const;
  void add_point(const Costs& prices);

  MeterOptions options_;
  std::vector<double> units_;
  std::int64_t rounds_ = 0;
  std::int64_t explored_ = 0;
  double mean_reward_ = 0.0;
  double regret_sum_ = 0.0;  // sum of Regret_t over t
  bool stopped_ = false;
  std::vector<double> errors_;
  std::vector<Largest> largest_;  // CCV before each round, one per cost
  Totals totals_;
  Curve curve_;
};

}  // namespace rein
