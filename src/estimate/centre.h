// Centre: what the regressions of all actions have in common, for the feature map `both`.
//
// Per head, the model is a constant alpha_a per action and slopes for all actions:
//
//     y = alpha_a + slopes . phi + noise
//
// The constants are removed by centring. The n-th outcome of an action gives the pair
//
//     sqrt((n - 1) / n) (phi - mean phi, y - mean y)
//
// with the means of the n - 1 outcomes of this action before it. Sums over these pairs equal sums around
// the final means exactly (Helmert's transformation). So the slopes do not depend on the levels of the
// actions, nor on the contexts in which each action was played. The slopes are a ridge regression on the
// pairs, one set of parameters for all actions.
//
// theta_0, the centre of the regressions per action, is the slopes and a constant. The constant sets the
// value of theta_0 at the mean over actions of their mean phi:
//
//     `level` is true      the mean over actions of their mean outcomes
//     `level` is false     0, because something else knows the level (tuning/prior.h)
//
// theta_0 is solved for after each of the first 64 outcomes of a head, and after every eighth later
// on. |theta_0| is kept within that of the functions to be learned (Shape::theta, 1 unless said),
// in units.
//
// Outcomes in parts: means, pairs and slopes of a head are those of the rounds in which it was
// seen.
#pragma once

#include <span>
#include <vector>

#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "estimate/ridge.h"

namespace rein {

class Centre {
 public:
  Centre(const FeatureMap& map, const Shape& shape, double reg, bool level);
  // Whether a Centre of these sizes stays within the limits of memory.
  static bool fits(int d, int sets, int heads);

  // theta_0 of a head, in units.
  std::span<const double> theta(int head) const {
    return {theta_.data() + at(head), static_cast<std::size_t>(d_)};
  }
  // Outcomes in the units of the shape; NaN: it has not come.
  void learn(int set, const double* phi, std::span<const double> outcomes);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Mean {  // of a set and a head
    double count = 0.0;
    double outcome = 0.0;  // in units
  };
  std::size_t at(int head) const {
    return static_cast<std::size_t>(head) * static_cast<std::size_t>(d_);
  }
  std::size_t cell(int set, int head) const {
    return static_cast<std::size_t>(set) * static_cast<std::size_t>(heads_.size()) +
           static_cast<std::size_t>(head);
  }
  // Takes one outcome of a head into the means. Writes its pair, and returns the pair's y; NaN for the
  // first outcome of a set, which has none.
  double take(int set, int head, const double* phi, double y, double* pair);
  bool is_due(int head) const;
  void find(int head);  // theta_0

  Heads heads_;
  int d_;
  bool bias_;
  bool level_;
  bool together_ = true;  // all heads have always come together
  Ridge slopes_;
  std::vector<Mean> means_;       // sets x heads
  std::vector<double> vectors_;   // sets x heads x d: means of phi
  std::vector<double> sets_;      // by head: sets that have a mean,
  std::vector<double> outcomes_;  // by head: the sum of their mean outcomes,
  std::vector<double> seen_;      // by head: outcomes
  std::vector<double> sums_;      // heads x d: and of their means of phi
  std::vector<double> theta_;     // heads x d
  std::vector<double> pair_, pairs_;
};

}  // namespace rein
