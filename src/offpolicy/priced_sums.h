// What rows add to the values of priced policies and to their covariance: sums that are merged over
// shards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/price_grid.h"

namespace rein {

using Paths = std::vector<std::vector<PathStep>>;  // per held price

// ScoredRow: a row of a log with its predictions, its doubly robust scores and its path of actions in
// every class of priced policies. It is loaded with one row after the other.
class ScoredRow {
 public:
  ScoredRow(const ActionModels& models, std::span<const PricedGrid> grids, const OfflineRows& rows);

  // False if the row is not evaluated. `place` is its number in the log.
  bool load(std::int64_t row, std::int64_t place);
  // What every mixture needs of the row.
  void prepare();
  // What paths_of() needs.
  void prepare_folds();

  // The path of the row's own fold, whose models never saw the row.
  const Paths& paths(std::size_t grid) const {
    return of_folds_[grid].empty() ? paths_[grid] : of_folds_[grid][at(fold)];
  }
  // The path that the models of another fold choose. REQUIRES prepare_folds().
  const Paths& paths_of(std::size_t grid, int other) const {
    if (other == fold) return paths(grid);
    return of_folds_[grid].empty() ? other_paths_[at(other)][grid] : of_folds_[grid][at(other)];
  }
  // The doubly robust score of an action.
  double score(int action, std::size_t head) const {
    const double q = predicted[at(action) * heads + head];
    return action == played ? q + inverse * (outcomes_[head] - q) : q;
  }
  double outcome(std::size_t head) const { return outcomes_[head]; }
  bool all_offered() const { return all_offered_; }

  std::size_t heads;
  std::vector<double> predicted;
  std::vector<double> scores;  // doubly robust, action x head
  int fold = 0;
  int played = 0;
  double weight = 1.0;
  double inverse = 1.0;             // 1 / propensity
  const double* context = nullptr;  // of the row
  const double* center = nullptr;   // the mean context of the fold's training rows
  std::vector<double> powers;  // of context - center: first, second and fourth, feature by feature

 private:
  const ActionModels& models_;
  std::span<const PricedGrid> grids_;
  const OfflineRows& rows_;
  const double* outcomes_ = nullptr;
  const std::uint8_t* offered_ = nullptr;
  bool all_offered_ = true;
  PathWork work_;
  std::vector<Paths> paths_;
  // Per class and fold, where all rows of a fold have the same path.
  std::vector<std::vector<Paths>> of_folds_;
  std::vector<double> other_predicted_;
  std::vector<std::vector<Paths>> other_paths_;  // per fold and class
};

// A policy of the grid and its share of a mixture.
struct MixPart {
  int held = 0;   // place on the grid of held prices
  int price = 0;  // place on the grid of prices
  double share = 1.0;
};
// The mixture that meets a budget.
struct BudgetMix {
  bool possible = false;
  bool binding = false;
  // One list for all folds; with a limit one per fold, chosen by that fold's predictions alone.
  std::vector<std::vector<MixPart>> parts;
  double price = 0.0;
  double held_price = 0.0;
  std::vector<double> values;      // per head
  std::vector<double> cost_slope;  // per head, where the budget is met exactly: its
                                   // change per unit of cost; 0 with a limit
  std::span<const MixPart> parts_of(int fold) const {
    return parts[parts.size() > 1 ? at(fold) : 0];
  }
  // Sets the probabilities with which it plays the actions in a row of this fold.
  void set_target(const Paths& paths, int fold, std::vector<double>& target) const;
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
};
// The mixtures of a class of policies, one per budget. Several classes may share a grid.
struct MixedClass {
  std::size_t grid = 0;
  std::vector<BudgetMix> mixes;
};

// A block of values: tables, then the weights of the rows, then their count. Without a limit there is one
// table of doubly robust values. With a limit every fold has a table of doubly robust values and a table of
// predicted values, and a weight. A table has a number per held price, price and head: by how much the
// value changes there.
struct ValueSums {
  ValueSums(const PricedGrid& grid, int folds);
  std::size_t cells;    // of a table
  std::size_t lists;    // 1, or the folds if there is a limit
  std::size_t weights;  // where they begin
  std::size_t count;
  std::size_t size;
};
// A block per grid. `first` is the number of the first of these rows in the log.
std::vector<double> value_sums(const ActionModels& models, std::span<const PricedGrid> grids,
                               const OfflineRows& rows, std::int64_t first);

// Sums of products of the weighted rewards of observations, less the mean of the log, and of their
// weights. From these sums follows how many observations carry the spread of the rewards about their own
// mean. Errors cannot show that, because predictions differ also in rows that say nothing about a rare
// outcome.
struct RawMoments {
  static constexpr std::size_t kSize = 8;
  static void add(double outcome, double weight, double* sums);
  static double carriers(const double* sums);
};

// The sums of errors begin with a block of the log, which all classes share: its balance (overlap.h)
// over the rows that offer every action, the weight of all rows, that of rows that do not offer every
// action, and the number of observations.
struct LogErrorSums {
  LogErrorSums(int actions, int features);
  std::size_t total;  // where it is; the balance is before it
  std::size_t partial;
  std::size_t observations;
  std::size_t size;
};
// Then a block of errors per class: per head the lower triangle of the covariance of the scores, then
// the shares of the actions per mixture, sums of the weights, their squares and fourth powers per
// mixture, the sums of the balance per mixture, the squares and the product of the errors of the reward
// and of the budget's cost per mixture, the powers of errors per head and mixture, and the moments of the
// rewards per mixture.
struct ErrorSums {
  ErrorSums(const PricedGrid& grid, std::size_t mixes);
  std::size_t triangle;  // numbers per head
  std::size_t shares;    // where they begin
  std::size_t sum;
  std::size_t square;
  std::size_t fourth;
  std::size_t balance;
  std::size_t balance_each;  // numbers per mixture: of the actions, then by how much those of the
                             // features change from the mixture before
  std::size_t plain;         // 3 per mixture
  std::size_t powers;        // 3 per head and mixture: sums of squares, cubes and fourth powers
  std::size_t raw;           // RawMoments of the reward per mixture
  std::size_t size;
};
// What error_sums needs besides rows. `mean` is the mean outcome of the log, per head.
struct ErrorTask {
  const ActionModels& models;
  std::span<const PricedGrid> grids;
  std::span<const MixedClass> classes;
  std::span<const double> mean;

  std::size_t size() const;
};
// `first` is the number of the first of these rows in the log.
std::vector<double> error_sums(const ErrorTask& task, const OfflineRows& rows, std::int64_t first);

}  // namespace rein
