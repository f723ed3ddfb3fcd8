// PricedClass: the policies of a what-if curve, their doubly robust values on a grid of prices, the
// mixtures that meet budgets, and the covariance of their values. See rein/whatif.h for what is
// estimated.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "offpolicy/action_models.h"
#include "offpolicy/price_path.h"
#include "rein/whatif.h"

namespace rein {

struct ClassOptions {
  int cost = 1;
  std::span<const HeadLimit> limits;  // at most one
  bool constant = false;              // policies see no context: they are fixed mixes of actions
  std::vector<std::uint8_t> usable;   // actions that the policies may play
  int threads = 1;
  std::function<bool()> go_on;  // false stops; called once per shard
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
};

class PricedClass {
 public:
  PricedClass(const OfflineRows& rows, const ActionModels& models, ClassOptions options);

  // False if it was stopped.
  bool value_grid();
  // With a limit each fold's mixture is chosen by its predictions alone, and then valued.
  BudgetMix meet(double budget) const;
  // The same for values that the caller knows better, such as the truth: [(held, price, head)].
  BudgetMix meet(double budget, std::span<const double> table) const;
  // Standard errors, shares and effective sizes of the mixtures; covariance[head] is points x
  // points. False if it was stopped.
  bool add_errors(std::span<const BudgetMix> mixes, std::vector<CurvePoint>& points,
                  std::vector<std::vector<double>>& covariance) const;
  // The path of every held price for a context of this fold; `predicted` is its prediction.
  void paths(int fold, const double* predicted, const std::uint8_t* offered,
             std::vector<std::vector<PathStep>>& out) const;

  std::span<const double> table() const { return table_; }
  std::span<const double> prices() const { return prices_; }
  std::span<const double> held_prices() const { return held_; }
  // Spend of the policies.
  double least() const { return spend(1.0); }
  double most() const { return spend(-1.0); }
  bool limited() const { return !options_.limits.empty(); }
  // The value of a mixture under tables of all folds, such as the truth.
  std::vector<double> value_of(const BudgetMix& mix,
                               std::span<const std::vector<double>> tables) const;
  std::int64_t rows_used() const { return used_; }

 private:
  struct Node;
  struct RowWork;
  void make_grids();
  bool evaluated(std::int64_t row) const;
  void fill(const double* source, const std::uint8_t* offered, double held, RowWork& work) const;
  void load(std::int64_t row, RowWork& work) const;
  double spend(double sign) const;
  std::vector<Node> nodes(std::span<const double> table) const;

  const OfflineRows& rows_;
  const ActionModels& models_;
  ClassOptions options_;
  std::vector<std::vector<double>> constants_;  // per fold: predictions at the mean context
  std::vector<double> prices_, held_;
  std::vector<double> table_;  // doubly robust values
  // With a limit, per fold: its doubly robust values, its predicted values, its share of the rows.
  std::vector<std::vector<double>> fold_tables_, predicted_;
  std::vector<double> fold_shares_;
  std::int64_t used_ = 0;
};

}  // namespace rein
