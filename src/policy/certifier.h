// Certifier: what the regret of a run is at most, from the run itself (docs/theory/certificate.md).
//
// It watches any policy from outside: its own linear regression of the reward and every cost
// (tuning/ellipsoid.h) gives an upper bound f+ on the mean reward of every action and a lower
// bound g- on its mean costs. Per learned round, with the actions that were offered,
//
//     V_t = max { <f+, p> : <g-, p> <= cap }        one small linear program (solve/mixture.h)
//     regret of t rounds  <=  sum V  -  sum y  +  D
//
// y is the reward that came, and D bounds the sum of its noise, from the squared misses of
// predictions (step 5 of the page). Over all rounds, with any multiplier x >= 0,
//
//     sum max_a { f+ - x sum_i g-_i }  +  x t sum_i cap_i  -  sum y  +  D
//
// and the least of it over a list of x is printed. What was played enters only through y: nothing
// is assumed about the policy, and nothing about how contexts come.
//
// It assumes that means are linear in the features of FeatureMap's default, outcomes in their
// ranges, and that noise is fresh: independent of what was learned before, whichever outcome comes
// next. An alarm (tuning/alarm.h) on a regression of its own tests the first.
//
// Everything happens when an outcome is learned, so rounds whose outcome has not come are not
// counted. A round costs about actions x (heads + 1) x d^2 / 2 multiply-adds. It allocates
// nothing.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "estimate/heads.h"
#include "policy/extra.h"
#include "rein/certified.h"
#include "solve/mixture.h"
#include "tuning/alarm.h"
#include "tuning/coordinates.h"
#include "tuning/ellipsoid.h"

namespace rein {

// What every cost may be per round, in units: 0 without a budget.
Costs caps_of(const Terms& terms);

class Certifier final : public Extra {
 public:
  // `caps`: what every cost may be per round, in units. `paced`: they are not known.
  Certifier(const Shape& shape, Costs caps, bool paced = false);

  // One round with its outcome, in the units of the shape. In whatever order outcomes come.
  void add(const Round& round, int action, const Outcome& outcome);
  // Before add(): what a world that knows its means can check of the certificate. `means` are those
  // of World::means.
  void check(const Round& round, int action, const Outcome& outcome, std::span<const double> means);
  Certified now() const;
  // The largest share of its radius by which a mean that was checked was missed on the side that
  // counts, and of D that the sum of the noise of rewards came to. Above 1 the certificate is
  // false.
  double means_missed() const { return means_missed_; }
  double noise_missed() const { return noise_missed_; }
  // For tests that must find a false bound: multiplies the radius of every ellipsoid.
  void scale_radius(double by);

  void learn(const Lesson& lesson, Books& books, Pricer& pricer) override;
  void tell(PolicyState& state) const override { state.certified = now(); }
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

 private:
  struct Multiplier {
    double x = 0.0;
    double sum = 0.0;  // of the best priced upper bound
  };
  // psi of one action, in psi_.
  const double* coordinates(const Round& round, int action);
  // f+ and g- of every action, into values_.
  void write_bounds(const Round& round);
  // What the best choices of this round earn at most.
  void add_best(int actions);
  // The alarm sees the outcome in outcomes_. `given`: the same in the units of the shape.
  void watch(const Round& round, int action, std::span<const double> given);
  double noise() const;  // D, in units
  void save_parts(ByteWriter& out) const;
  void load_parts(ByteReader& in);

  Heads heads_;
  NoCertificate none_ = NoCertificate::kNone;
  Costs caps_;
  std::vector<Range> ranges_;  // in units
  Coordinates coordinates_;
  std::vector<Ellipsoid> sets_;
  Mixture mixture_;
  std::unique_ptr<Oracle> plain_;  // what the alarm watches
  std::optional<Alarm> alarm_;

  double rounds_ = 0.0;
  double best_ = 0.0;    // sum of V, in units
  double reward_ = 0.0;  // sum of y, in units
  double misses_ = 0.0;  // sum of (y - p)^2
  std::vector<Multiplier> multipliers_;

  double means_missed_ = 0.0, noise_missed_ = 0.0;  // of what was checked
  double noise_sum_ = 0.0;                          // of rewards, in units
  std::vector<double> phi_, psi_;                   // of one action
  std::vector<double> values_;                      // f+, then g- of every cost
  std::vector<double> outcomes_;                    // in units
  std::vector<double> given_, predicted_;
  Scratch scratch_;
  Estimates estimates_;  // of one action
};

}  // namespace rein
