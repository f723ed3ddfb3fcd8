// PricedClass: the policies of a what-if curve with their doubly robust values on a grid of prices,
// the mixtures that meet budgets, and the covariance of their values. See rein/whatif.h for what is
// estimated.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "offpolicy/errors.h"
#include "offpolicy/priced_sums.h"
#include "rein/whatif.h"

namespace rein {

// The sums of errors of one class, with those of the log (LogErrorSums).
struct ClassErrorSums {
  std::span<const double> log, own;
};

class PricedClass {
 public:
  explicit PricedClass(PricedGrid grid);
  // The same policies with the same values, where the limits have other amounts.
  PricedClass with_limits(std::vector<HeadLimit> limits) const;

  // Takes the values from the sums of all rows (ValueSums).
  void set_values(std::span<const double> sums, int folds);

  // With a limit each fold's mixture is chosen by its predictions alone, and then valued.
  BudgetMix meet(double budget) const;
  // The same for values that the caller knows better, such as the truth: [(held, price, head)].
  BudgetMix meet(double budget, std::span<const double> table) const;
  // Shares and effective sizes of the mixtures. Returns the covariance per head, points x points.
  std::vector<std::vector<double>> set_errors(const ClassErrorSums& sums,
                                              std::vector<CurvePoint>& points) const;
  // The variances of the reward and of the budget's cost of each mixture, and their covariance.
  std::vector<std::array<double, 3>> plain_errors(const ClassErrorSums& sums,
                                                  std::size_t count) const;
  // Of the errors of a head and mixture. `sums` are the class's own.
  ErrorShape shape_of(std::span<const double> sums, std::size_t count, std::size_t head,
                      std::size_t k) const;
  // How many observations carry what is known about the reward of a mixture: its errors, or the rewards
  // alone.
  double rows_behind(std::span<const double> sums, std::size_t count, std::size_t k) const;
  // The reward where the curve spends this budget; false below the least spend. REQUIRES no limit.
  bool reward_at(double budget, double& reward) const;

  const PricedGrid& grid() const { return values_->grid; }
  // Spend of the policies.
  double least() const { return spend(1.0); }
  double most() const { return spend(-1.0); }
  bool limited() const { return grid().limited(); }
  // The value of a mixture under tables of all folds, such as the truth.
  std::vector<double> value_of(const BudgetMix& mix,
                               std::span<const std::vector<double>> tables) const;
  std::int64_t rows_used() const { return values_->used; }

 private:
  struct Node;
  // What classes that differ in the amounts of their limits share.
  struct Values {
    PricedGrid grid;
    std::vector<double> table;  // doubly robust values
    // With a limit, per fold: its doubly robust values, its predicted values, its share of the rows.
    std::vector<std::vector<double>> fold_tables, predicted;
    std::vector<double> fold_shares;
    std::int64_t used = 0;
  };
  double spend(double sign) const;
  std::vector<Node> nodes(std::span<const double> table) const;

  std::shared_ptr<const Values> values_;
  std::vector<HeadLimit> limits_;
};

}  // namespace rein
