// ScoredRows: one row of a log after the other, with its doubly robust scores and its path of actions in
// every class of priced policies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/at.h"
#include "offpolicy/priced_grid.h"

namespace rein {

using Paths = std::vector<std::vector<PathStep>>;  // per held price

class ScoredRows {
 public:
  ScoredRows(const ActionModels& models, std::span<const PricedGrid> grids,
             const OfflineRows& rows);

  // False if the row is not evaluated. `place` is its number in the log.
  bool load(std::int64_t row, std::int64_t place);
  // What every mixture needs of the row.
  void prepare();

  // The path of the row's own fold, whose models never saw the row.
  const Paths& paths(std::size_t grid) const {
    return same_[grid].empty() ? paths_[grid] : same_[grid][at(fold)];
  }
  // The path that the models of another fold choose. Valid until the next call.
  const Paths& paths_of(std::size_t grid, int other);
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
  std::vector<std::vector<Paths>> same_;  // per class and fold
  std::vector<double> other_predicted_;
  Paths other_paths_;
};

}  // namespace rein
