// LinearScores: theta . phi(x, a) of every action of a round, for oracles with linear predictions.
// phi is never written out. With theta = (c, f, P, b) over the parts of phi (context x, features a,
// products, bias),
//
//     theta . phi(x, a) = a . (f + P' x) + (c . x + b)
//
// so products cost one pass over P per round, not one per action, and a sparse action costs only
// its nonzeros. The score of an action has the same bits, whatever the other actions are.
//
// Parameters lie as sets x heads x d, in the order of FeatureMap.
#pragma once

#include "base/size.h"
#include "estimate/feature_map.h"
#include "rein/oracle.h"
#include "rein/scratch.h"

namespace rein {

class LinearScores {
 public:
  LinearScores(const FeatureMap& map, int heads) : map_(map), heads_(heads) {}

  // Doubles that all() and one() take from the scratch.
  std::size_t scratch() const;
  // Writes the scores of all actions to the rows of `out`, in units and not clipped.
  void all(const Round& round, const double* theta, Scratch& scratch, Estimates& out) const;
  // The scores of one action, one per head, with the same bits as from all(). `folded` holds
  // scratch() numbers.
  void one(const Round& round, int action, const double* theta, double* folded,
           std::span<double> out) const;

  // Index of the first parameter of a set and head.
  std::size_t at(int set, int head) const {
    return (as_size(set) * as_size(heads_) + as_size(head)) * as_size(map_.size());
  }

 private:
  // c . x + b.
  double base(const Round& round, const double* theta) const;
  // The factors of the action's features: f, or f + P' x written to `folded`.
  const double* slopes(const Round& round, const double* theta, double* folded) const;
  double sparse_score(const Round& round, int action, const double* theta) const;
  void score_sets(const Round& round, const double* theta, Estimates& out) const;
  // One action and one head.
  double score(const Round& round, int action, const double* theta, double* folded) const;

  FeatureMap map_;
  int heads_;
};

}  // namespace rein
