// Meter: what is measured of one policy on one seed, a round at a time. docs/metrics.md says what
// every figure is.
#pragma once

#include <span>
#include <vector>

#include "rein/evaluate.h"
#include "rein/policy.h"

namespace rein {

// One round as it was played: the decision, what came, the true means of all actions (as
// World::means gives them) and the benchmark's value.
struct Played {
  const Decision& decision;
  const Outcome& outcome;
  std::span<const double> means;
  int actions;
  double best;
};

struct MeterOptions {
  std::int64_t rounds = 1;
  int curve_points = 0;
  // Whose error against the true means is counted: all heads, the reward's (costs are learned as
  // something else), or none (there is no oracle, or no known means).
  enum class Errors { kAll, kReward, kNone } errors = Errors::kAll;
  std::vector<double> budgets;  // totals, in the units of the shape; empty where there are none
  double share = 0.99;          // of the rounds that ccv_share speaks of
};

// The largest numbers of a sequence, as many as there is room for.
class Largest {
 public:
  explicit Largest(std::size_t room) : room_(room) {}
  void add(double x);
  // The least of them. REQUIRES as many additions as there is room, or more.
  double least() const { return heap_.front(); }

 private:
  std::size_t room_;
  std::vector<double> heap_;  // its least number first
};

class Meter {
 public:
  // `shape` is the world's.
  Meter(const Shape& shape, const MeterOptions& options);

  void add(const Played& played);
  // The totals of all rounds, but for what only a benchmark or a policy knows.
  Totals totals() const;
  // Benchmarks are compared with this: the sum of the true mean rewards of what was played.
  double mean_reward() const { return mean_reward_; }
  Curve take_curve() { return std::move(curve_); }

 private:
  void add_costs(const Played& played);
  void add_errors(const Played& played);
  void add_point(const Played& played);

  MeterOptions options_;
  std::vector<double> units_;
  std::int64_t rounds_ = 0;
  std::int64_t explored_ = 0;
  double mean_reward_ = 0.0;
  double regret_sum_ = 0.0;  // of Regret_t over t
  bool stopped_ = false;
  std::vector<double> errors_;
  std::vector<Largest> largest_;  // CCV before each round, one per cost
  Totals totals_;
  Curve curve_;
};

}  // namespace rein
