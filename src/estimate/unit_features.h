// UnitFeatures: gives another oracle contexts and action features of size about 1.
//
// Ridge regression shrinks by reg |theta|^2, so its result depends on the units of the features: in
// units 100 times larger or smaller the same table earns 2 to 90 % less. The scale of a number of
// the context is its absolute value in the first learned round in which it is not 0; that of a
// feature is the largest over the actions of that round. Where it is within a factor of 16 of the
// root mean square of all numbers other than 0 in the first round with any, that is its scale. From
// then on the number is divided by its scale, rounded to a power of two. A scale between 1/4 and 4
// is taken as 1: numbers of a usual size stay as they are.
//
// The first value may be an outlier, or far from 0 like a year. So a number of the context is looked at
// again after its first eight values, robustly:
//
//     s      = half the distance between the second smallest and the second largest of them
//     centre = their median m, if it is more than 32 s from 0; else 0
//     scale  = s if there is a centre; else the median of |x|, if it is 64 times less than the scale
//
// From then on it is (x - centre) / scale, kept within +-32: one value cannot decide what its weight is.
// What was learned before counts on as if the number had been what it was in the old scale: about
// constant. After that a centre and a scale stay, because what was learned in one scale is of no use in
// another. Before the first value other than 0 nothing was learned about a number.
#pragma once

#include <memory>
#include <vector>

#include "estimate/abilities.h"
#include "estimate/free_regret.h"
#include "estimate/weights.h"
#include "rein/oracle.h"

namespace rein {

class UnitFeatures final : public Oracle, public OracleAbilities {
 public:
  enum class Scales {
    kFirst,    // the first value of a number sets its scale for good
    kSettled,  // scales are looked at again after the first rounds
    kCentred,  // and numbers may be moved. REQUIRES a constant in the class of the oracle.
  };
  UnitFeatures(std::unique_ptr<Oracle> of, const Shape& shape, Scales scales = Scales::kCentred);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override { return of_->bound(rounds); }
  double regret() const override { return of_->regret(); }
  std::optional<double> free_regret() const override { return of_->abilities().free_regret(); }
  WidthSum width_sum(std::int64_t rounds) const override { return rein::width_sum(*of_, rounds); }
  int dimension() const override { return of_->dimension(); }
  bool forgets() const override { return of_->abilities().forgets(); }
  double memory() const override { return of_->abilities().memory(); }
  std::optional<Changes> change() const override { return of_->abilities().change(); }
  std::span<const double> predicted() const override { return of_->abilities().predicted(); }
  // The weights of the numbers as they came.
  bool weights(const Round& round, int action, int head, std::vector<Term>& out) const override;
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

  // What the numbers of the context and the features are multiplied by; 0: not known yet.
  std::span<const double> context_factors() const { return context_; }
  std::span<const double> features_factors() const { return features_; }
  // What is subtracted from the numbers of the context before that.
  std::span<const double> context_centres() const { return centres_; }

 private:
  void find(const Round& round);
  void set(double& factor, double number, double all);
  // Keeps the first values of the context; at the last of them finds centres and scales.
  void keep_first(std::span<const double> context);
  void settle(std::size_t number);
  bool is_settled() const { return kept_ == static_cast<double>(kFirstValues); }
  // The round in its scale. Uses `room` for its numbers.
  Round scaled(const Round& round, std::span<double> room) const;

  std::unique_ptr<Oracle> of_;
  std::size_t room_;              // numbers of a round
  double of_context_ = 0.0;       // the scale of all numbers together; 0: not known yet
  double of_features_ = 0.0;      // likewise
  std::vector<double> context_;   // a factor for each number, and
  std::vector<double> features_;  // for each feature
  static constexpr std::size_t kFirstValues = 8;
  Scales scales_;
  std::vector<double> centres_;   // of the context
  std::vector<double> first_;     // its first values, number by number
  double kept_ = 0.0;             // how many of them were seen
  bool usual_ = true;             // all factors are 1 and all centres 0
  std::size_t unknown_;           // factors that are not known yet
  std::vector<double> largest_;   // of each feature in the round being learned
  std::vector<double> work_;      // of the round being learned
};

}  // namespace rein
