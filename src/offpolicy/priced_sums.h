// What rows add to the values of priced policies and to their covariance: sums that are merged over
// shards. One block per class of policies, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/priced_grid.h"

namespace rein {

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
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
};

// A block of values. Without a limit one table of doubly robust values; with one, for every fold a
// table of doubly robust values and one of predicted values. A table has a number per held price,
// price and head: by how much it changes there. Then the weights of the rows (with a limit per
// fold), and their count.
struct ValueSums {
  ValueSums(const PricedGrid& grid, int folds);
  std::size_t cells;    // of a table
  std::size_t lists;    // 1, or the folds if there is a limit
  std::size_t weights;  // where they begin
  std::size_t count;
  std::size_t size;
};
// `first` is the number of the first of these rows in the log.
std::vector<double> value_sums(const ActionModels& models, std::span<const PricedGrid> grids,
                               const OfflineRows& rows, std::int64_t first);

// Of the weighted outcomes of observations, less that of the log's mean, and their weights: sums of
// products from which it follows how many observations carry the spread of the outcomes about their own
// mean. Errors also have what predictions differ by, in rows that say nothing about a rare outcome.
struct RawMoments {
  static constexpr std::size_t kSize = 8;
  static void add(double outcome, double weight, double* sums);
  static double carriers(const double* sums);
};

// A block of errors: per head the lower triangle of the covariance of the scores, then the shares of
// the actions per mixture, sums of the weights, their squares and fourth powers per mixture, the sums of the balance
// (balance.h) per mixture, the squares and the product of the errors of the reward and of the budget's
// cost per mixture, the weight of all rows, that of rows that do not offer every action,
// and the number of observations.
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
  std::size_t raw;           // RawMoments per head and mixture
  std::size_t log_balance;   // of the log, over rows that offer every action
  std::size_t total;
  std::size_t partial;
  std::size_t observations;
  std::size_t size;
};
// mixes[i] are those of grids[i], and `mean` is the mean outcome per head.
std::vector<double> error_sums(const ActionModels& models, std::span<const PricedGrid> grids,
                               std::span<const std::vector<BudgetMix>> mixes,
                               std::span<const double> mean, const OfflineRows& rows,
                               std::int64_t first);

}  // namespace rein
