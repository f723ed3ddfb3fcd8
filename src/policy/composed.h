// Composed: the one policy class. An oracle, a pricer, a gain and an explorer, and the few rules
// that say how outcomes become what they learn. ccb and most peers are compositions of this kind;
// their files only choose the parts.
//
//     score_a = f^_a - sum_i price_i g^_{i,a}         (units; divided by exp(log_scale))
//     p       = explore(score, gamma)
//
// Units: rewards and costs divided by the largest absolute value of their range; where only the
// positive part of a cost counts, by the largest value of that part.
#pragma once

#include <memory>
#include <vector>

#include "estimate/calibration.h"
#include "policy/certificate.h"
#include "policy/confidence.h"
#include "policy/parts.h"
#include "policy/watch.h"
#include "policy/window.h"
#include "rein/policy.h"

namespace rein {

// How an outcome becomes what the parts learn.
struct Rules {
  Terms terms;
  // The explicit bounds of the theorem hold: nothing but its multipliers was changed.
  bool theorem = false;
  // Only the reward is estimated; costs are counted but never learned or priced.
  bool reward_only = false;
  // Costs count by their positive part, in the queue and for the oracle (setting almost_sure).
  bool positive_part = false;
  // tuning=auto: costs are corrected by what they were (Calibration), recent decisions are kept for
  // the pricer to rehearse on, U is certified as it goes (Certificate), and actions that would take
  // more than a quarter of what is left of a budget are not played.
  bool adaptive = false;
  bool certify_u = false;  // unless it was given
  bool alarm = false;      // watch whether the class of functions fits
  // Taken from every cost before it joins its queue, in units a round (setting pacing).
  Costs rate;
  // Scores are made of confidence bounds (peers that explore by optimism).
  Confidence confidence = {};
  // Added to the OPT a round that a first stage finds, in units.
  double stage_margin = 0.0;
};

class Composed final : public Policy {
 public:
  // `shape` is what rounds and outcomes are checked against.
  Composed(const Spec& spec, const Shape& shape, Parts parts, const Rules& rules);

  using Policy::decide;
  Result<> decide(const Round& round, std::span<const double> reserved, Rng& rng, Scratch& scratch,
                  Decision& decision) const override;
  Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome) override;

  const Shape& shape() const override { return shape_; }
  const Spec& spec() const override { return spec_; }
  PolicyState state() const override;
  std::size_t scratch() const override;
  std::string save() const override;
  Result<> load(std::string_view bytes) override;

 private:
  void calibrate(const Round& round, std::span<double> raw, Decision& decision) const;
  void bar_too_dear(const Books& books, Decision& decision) const;
  void adapt(const Round& round, const Decision& decision, const Outcome& outcome);
  void score(const Prices& prices, Decision& decision) const;
  Result<> read(std::string_view bytes);

  Spec spec_;
  Shape shape_;
  Parts parts_;
  Rules rules_;
  int heads_;                  // that the oracle has
  std::vector<double> units_;  // of the reward and every cost
  Books books_;
  double reward_ = 0.0;
  std::unique_ptr<Calibration> calibration_;  // where rules_.adaptive
  std::unique_ptr<Window> window_;
  std::unique_ptr<Certificate> certificate_;  // where rules_.certify_u
  std::unique_ptr<Watch> watch_;              // where rules_.alarm
  bool own_oracle_;                           // one of the caller's own, which may throw
  std::string saved_;                         // the oracle, while that one learns
};

}  // namespace rein
