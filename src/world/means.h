// True functions: from (round, action) to the means of all heads, for Shape::truth and
// Shape::functions. Evaluation allocates nothing.
#pragma once

#include <vector>

#include "rein/oracle.h"
#include "rein/shape.h"

namespace rein {

// mean_h = theta_h . phi_a, where phi_a is the action's row of round.features. One theta for all
// actions.
class LinearMeans final : public FunctionClass {
 public:
  // theta: heads rows of d numbers.
  LinearMeans(std::vector<double> theta, std::vector<Range> ranges);
  int size() const override { return 1; }
  void evaluate(int function, const Round& round, int action, std::span<double> out) const override;

 private:
  std::vector<double> theta_;
  std::vector<Range> ranges_;
  int d_;
};

// mean_h = theta_{a,h} . context: one theta per action.
class PerActionMeans final : public FunctionClass {
 public:
  // theta: for every action, heads rows of d numbers.
  PerActionMeans(std::vector<double> theta, std::vector<Range> ranges, int d);
  int size() const override { return 1; }
  void evaluate(int function, const Round& round, int action, std::span<double> out) const override;

 private:
  std::vector<double> theta_;
  std::vector<Range> ranges_;
  int d_;
};

// A list of tables over a finite number of contexts. The context is one-hot, or empty if there is
// only one context.
class TableMeans final : public FunctionClass {
 public:
  // values[((function * contexts + context) * actions + action) * heads + head], inside the ranges.
  TableMeans(std::vector<double> values, int contexts, int actions, int heads);
  int size() const override { return functions_; }
  void evaluate(int function, const Round& round, int action, std::span<double> out) const override;
  // The class with only this function.
  std::shared_ptr<const TableMeans> only(int function) const;

 private:
  std::vector<double> values_;
  int contexts_;
  int actions_;
  int heads_;
  int functions_;
};

}  // namespace rein
