// Problems whose truth is known exactly, for bench/offpolicy_truth.cc: a finite population of
// contexts from which rows are drawn with replacement. True values are means over the population.
//
//   linear problems  8 192 evenly spread contexts; means are linear in the context, or bent, and
//                    outcomes have noise (tests/offpolicy/linear_log.h)
//   tables           the rows of a file with the reward and the cost of every action
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/offpolicy.h"
#include "rein/shape.h"

namespace rein {

struct TruthProblem {
  std::string name;
  int features = 0;
  double noise = 0.0;            // outcomes are uniform within this of their means
  Shape shape;                   // actions, ranges, and the budget per round in budgets[0]
  double signed_by = 0.0;        // ccb sees costs and their budget raised by this, from 0 on
  std::int64_t size = 0;         // of the population
  std::vector<double> context;   // size x features
  std::vector<double> means;     // size x actions x heads
  std::vector<double> score;     // size x actions; what logging policies go by
  std::vector<double> expected;  // size x actions; rewards by a model, for the policy "greedy"

  int actions() const { return shape.actions; }
  int heads() const { return shape.heads(); }
  double mean(std::int64_t i, int action, int head) const {
    return means[static_cast<std::size_t>((i * actions() + action) * heads() + head)];
  }
};

TruthProblem linear_problem(int actions, int heads, bool bent, std::uint64_t seed);
// FOLDER/NAME.csv.gz, with columns x_*, r0.. and c0...; at most `most` of its rows, drawn evenly.
Result<TruthProblem> table_problem(const std::string& folder, const std::string& name,
                                   double budget, std::int64_t most = 1'000'000'000);
// The same problem with another cost: linear in all features, different for every action, without
// noise, from 0 to 1.
TruthProblem with_linear_cost(TruthProblem problem, std::uint64_t seed);

// Probabilities over the population, size x actions: "uniform", "softmax" (of twice the score),
// "epsilon" (0.3, greedy by the score), "other" (softmax of the negative score), "greedy".
std::vector<double> policy_of(const TruthProblem& problem, const std::string& name);
// One value per head.
std::vector<double> true_value(const TruthProblem& problem, const std::vector<double>& policy);

struct TruthLog {
  const TruthProblem* problem = nullptr;
  std::vector<std::int64_t> place;  // in the population
  std::vector<std::int32_t> played;
  std::vector<double> propensity, outcomes, context;

  OfflineRows rows() const;
  std::vector<double> target(const std::vector<double>& policy) const;
};

// A log of n rows by the policy with these probabilities, or by ccb, which learns, if it is empty.
TruthLog draw_log(const TruthProblem& problem, const std::vector<double>& probabilities, int n,
                  std::uint64_t seed);

}  // namespace rein
