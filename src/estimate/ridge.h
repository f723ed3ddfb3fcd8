// Ridge: the Vovk-Azoury-Warmuth forecaster on given vectors phi. `vaw` makes them from context and
// features, `kernel` from curves over those. With A = reg I + sum phi phi' over what was learned
// and b_h = sum phi y_h, one of each per set of parameters,
//
//     prediction_h = phi' (A + phi phi')^-1 b_h = phi' A^-1 b_h / (1 + phi' A^-1 phi)
//     width        = phi' (A + phi phi')^-1 phi
//
// The prediction is clipped to the range of the head. For any outcomes in units and any vectors,
// each chosen before its outcome, the loss of a head exceeds that of the best theta by at most reg
// |theta|^2 + ln det(A / reg). (Vovk 2001; Azoury, Warmuth 2001.)
//
// Kind::kPlain leaves out the example to be predicted: prediction_h = phi' A^-1 b_h, the centre of
// confidence intervals. Its loss exceeds that of the best theta by at most reg |theta|^2 + 4 ln
// det(A / reg). Proof: the smallest ridge loss is exactly sum (y - y^)^2 / (1 + w), w = phi' A^-1
// phi, so clipped predictions lose at most sum (y - y^)^2 w / (1 + w) more.
//
// Vectors with very large numbers get a smaller weight (estimate/tame.h). loss_ counts them in full
// and best_loss_ by their weight, so regret() stays an upper bound.
//
// Forgetting. With a memory of N outcomes, each weighs beta^(outcomes learned since), beta = 1 -
// 1 / N, whichever set it belongs to: A = reg I + sum beta^age phi phi'. So the width of a set that
// is not learned grows. forget(keep, set) multiplies the weight of what a set has learned. Of a set we keep
// A / s and b / s, where s is what was forgotten since the set was brought up to date, and divide
// the new outcome by sqrt(s). The part of reg I that s took away is put back when s falls below
// 2^-10; until then it is counted by
//
//     1 / w = s / w~ + (1 - s) reg / |phi|^2,       phi' A^-1 b = (w / (w~ / s)) phi' (A~)^-1 b~
//
// which is exact if A is a multiple of I, and otherwise w is not too small: 1 / w is a concave
// function of A. Once something was forgotten nothing is certified: regret() is not a number.
//
// Outcomes in parts. A is the same for all heads only while they come together. A group is a set of
// heads that always came together so far; it has one A, made of the rounds in which it was seen. All
// heads are one group until an outcome comes in part. Then every group that came in part is split in
// two, both with a copy of its factor: the reward and the costs, for example. Predictions and widths
// of a head are those of its group. So with a reward in 60 % of the rounds, its width is that of 60 %
// of the rounds. The bound above holds per head over the rounds in which it was seen, if a part is
// missing for reasons that do not depend on its value, given phi. A part of an outcome ages all that
// was learned by its share of the heads.
//
// State: per parameter set and group the packed Cholesky factor L of A, and per head c_h = L^-1 b_h.
// That is g d (d + 1) / 2 + (m + 1) d doubles per set, with g = 1 group until an outcome comes in
// part and at most m + 1. Both are updated together in one pass. Predicting and learning cost g times
// as much, and the memory of a new group is allocated when it is split off.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/allowance.h"
#include "estimate/factors.h"
#include "estimate/heads.h"
#include "estimate/tame.h"
#include "estimate/widths.h"
#include "rein/oracle.h"

namespace rein {

// Limit of d. The factor of a d x d matrix takes d^2 / 2 doubles, so one set stays under about 1
// GiB.
inline constexpr int kMaxDimension = 16'384;

class Ridge {
 public:
  // Number of actions that are predicted at once.
  static constexpr int kGroup = 2 * kLanes;

  enum class Kind { kForward, kPlain };
  // `memory` in outcomes; 0: nothing is forgotten; infinite: only what forget() says. `forward` in
  // [0, 1] is the share of w in the divisor of kForward: 1 for VAW, near 0 for plain ridge.
  Ridge(int d, int sets, const Heads& heads, double reg, Kind kind = Kind::kForward,
        double memory = 0.0, double forward = 1.0);
  // Whether a Ridge of these sizes is within the limits. numbers() is the memory it needs.
  static bool fits(int d, int sets, int heads);
  static std::size_t numbers(int d, int sets, int heads);

  int size() const { return d_; }
  // Doubles that predict_group() takes from the scratch.
  std::size_t group_scratch() const {
    const std::size_t copy = parts() > 1 ? static_cast<std::size_t>(kGroup * d_) + kLineDoubles : 0;
    return kGroup * (1 + static_cast<std::size_t>(heads_.size())) + copy;
  }
  // Number of groups of heads: above 1, estimates have widths by head. Every prediction must begin
  // with this.
  int parts() const { return static_cast<int>(starts_.size()) - 1; }
  void begin(Estimates& estimates) const { estimates.set_apart(parts() > 1); }
  // Estimates for the actions first, ..., first + count - 1 of set 0, at most kGroup of them. Their
  // phi are in `columns` in blocks of eight lanes, as FeatureMap::pack() writes them. The columns
  // are overwritten. `tame` says that none of their numbers exceeds largest_tame().
  void predict_group(int first, int count, bool tame, double* columns, double* group_scratch,
                     Estimates& estimates) const;
  double largest_tame() const { return tame_.limit(); }
  // Predicts a single action, with the parameters of any set. y is working memory of d doubles.
  void predict_one(int set, int action, const double* phi, double* y, Estimates& estimates) const;
  // Predicts a single action by a regression around theta_0 instead of 0; `centre` has theta_0 of
  // each head, in units, heads x d.
  //     prediction_h = theta_0 . phi + phi' A^-1 (b_h - (A - reg I) theta_0) / (1 + w)
  // With no outcomes this is theta_0 . phi, and what theta_0 adds vanishes as A grows. y has 2 d
  // doubles.
  void predict_around(int set, int action, const double* phi, const double* centre, double* y,
                      Estimates& estimates) const;
  // Writes A^-1 b of a set and head, in units, from the outcomes that its memory keeps. With
  // theta_0 of the head in `centre`, writes A^-1 (b + reg theta_0).
  void weights(int set, int head, const double* centre, std::span<double> theta) const;
  // Outcomes are in the units of the shape; NaN: it has not come. `predicted`, if not empty, receives
  // the prediction for this phi before learning, of the heads that came.
  void learn(int set, const double* phi, std::span<const double> outcomes,
             std::span<double> predicted = {});
  // 1 + w of a head that came with the last learn(), w of before.
  double grown(int head) const { return grown_[static_cast<std::size_t>(head)]; }
  // The divisor of phi' A^-1 b, where t is 1 + w.
  double shrink(double t) const { return forward_ == 1.0 ? t : std::fma(forward_, t - 1.0, 1.0); }
  // Multiplies the weight of all that a set has learned by `keep`, in (0, 1]. REQUIRES a memory.
  void forget(double keep, int set);
  // Gives up what a set has learned for what `recent` knows, which learned from the same vectors what
  // our predictions left over. theta of `head` becomes theta + that of recent / share, of the other
  // heads it stays. A becomes share A of recent. REQUIRES memories, and the same sizes.
  void take_over(int set, Ridge& recent, int head, double share);

  // U for vectors with |phi|^2 <= norm_squared and |theta|^2 <= Heads::theta_squared().
  double bound(std::int64_t rounds, double norm_squared) const;
  // Bound on the sum of widths, for the same vectors.
  WidthSum width_sum(std::int64_t rounds, double norm_squared) const;
  // The smallest of sum (theta . phi - y)^2 + reg |theta|^2 over theta, summed over sets, of a head.
  double best_loss(int head) const { return best_loss_[at(head)]; }
  // The sum of (prediction - y)^2 of a head.
  double loss(int head) const { return loss_[at(head)]; }
  // reg |theta|^2 for every set, with the largest theta of the class.
  double class_term() const { return reg_ * heads_.theta_squared() * sets_; }
  // The largest over heads of loss - best loss, plus reg |theta|^2 for every set; exact.
  double regret() const;
  // A lower bound on sum (theta . phi - y)^2 of each head, added over sets, for theta of any size
  // (free_regret.h). Empty where it is not known.
  std::vector<double> free_losses() const;
  bool forgot() const { return clock_ > 0.0; }
  // Number of doubles of learned state.
  std::size_t state_size() const;
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  // Multiplies the columns by the weights of their vectors, and returns the weights.
  void weigh_columns(int count, double* columns, std::span<double> weights) const;
  void solve_first_lane(const double* factor, const double* c, int heads, double* columns,
                        double* square, double* dots) const;
  // s of a set, now.
  double scale(int set) const;
  // Replaces w~ by w, and returns what b must be multiplied by. s is scale(), `length` is |phi|^2; it
  // does not count where s is 1.
  double restore(double s, double length, double& square) const;
  int part_of(int head) const;
  // theta of a head, into d doubles.
  void theta(int set, int head, double* out) const;
  // Brings s back to 1.
  void refresh(int set, double s);
  // c of the heads in order_, one row each.
  double* rows(int set);
  const double* rows(int set) const;
  int heads_in(int part) const { return starts_[at(part) + 1] - starts_[at(part)]; }
  Factors& factors(int part) { return part == 0 ? factors_ : more_[at(part - 1)]; }
  const Factors& factors(int part) const { return part == 0 ? factors_ : more_[at(part - 1)]; }
  // Splits every group that came in part. Returns the heads that came, as a share of all.
  double split(std::span<const double> outcomes);
  void split_off(int part, std::span<const double> outcomes);
  void learn_part(int part, int set, const double* phi, double weight,
                  std::span<const double> outcomes, std::span<double> predicted);
  // How much less the loss of the best theta of a set is with tiny I in the place of reg I, by head of a
  // group, added to `gains`. Returns tiny; NaN if rounding took away what was left. `a` is room for d x d
  // numbers, `b` for d.
  double add_gains(int part, int set, std::span<double> a, std::span<double> b,
                   std::span<double> gains) const;
  void save_groups(ByteWriter& out) const;
  void load_groups(ByteReader& in);
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int d_;
  int sets_;
  Heads heads_;
  double reg_;
  double forward_;  // 0: plain
  Tame tame_;
  Factors factors_;                 // factors of the first group of heads: one L per parameter set
  std::vector<Factors> more_;       // of the other groups
  std::vector<int> order_;          // the heads, group by group; the reward is in the first
  std::vector<int> starts_;         // where each group starts in order_, and the end of order_
  std::vector<double> heads_rows_;  // c_h, heads x d per parameter set, in this order
  std::vector<double> grown_;       // by head
  // Per head: the sum of (prediction - y)^2, and the square loss of the best fit, both in units.
  std::vector<double> loss_;
  std::vector<double> best_loss_;
  double rate_;                // -ln beta
  double clock_ = 0.0;         // -ln of the weight that the first outcome has now
  std::vector<double> since_;  // clock_ when the set was up to date; empty: nothing is forgotten
  std::vector<double> work_;
};

}  // namespace rein
