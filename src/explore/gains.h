// The gains: how gamma is computed.
//
//   theory    gamma = scale sqrt(K_t / U * S) / ((m + 1) z), z = max(1, max_i price_i^2),
//             S = sum of z up to and including this round. The theorem's. Without a horizon U is
//             that of the round's block (Terms::u_at), and where exponential prices start again
//             with a block, so does S.
//   constant  gamma = scale * gamma
//   root_t    gamma = scale * factor * t^power / max(1, largest price)^relief,
//             t = rounds learned + 1. Vowpal Wabbit's practice is factor 10, power 0.5, relief 0.
//   noise     gamma = scale * factor * max(1, K_t / 5) sqrt(t) / s, s^2 = s_0^2 + sum (price_i s_i)^2,
//             where s_h is the noise of a head (Books). s is the noise of a score. Multiply rewards,
//             costs or their declared ranges by any number, and gamma times a gap stays the same.
//   loe2d     gamma = scale K_t sqrt(T / U) / (1 + sum of prices), as printed for LOE2D;
//             balanced: sqrt(K_t T / U) instead of K_t sqrt(T / U).
//
// Scores are divided by exp(l), l = prices.log_scale, so the returned gamma is multiplied by
// exp(l).
#pragma once

#include <optional>

#include "explore/gain.h"

namespace rein {

// S is stored as sum_ * exp(2 scale_), where scale_ is the largest log_scale so far, so that it
// cannot overflow.
class TheoryGain final : public Gain {
 public:
  static Result<std::unique_ptr<Gain>> make(const Spec& spec, const Terms& terms);
  double gamma(const Books& books, const Prices& prices, int actions) const override;
  void learn(double log_scale) override;
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  explicit TheoryGain(const Terms& terms)
      : u_(terms.u), factor_(terms.gamma_scale / (terms.costs + 1.0)) {
    if (terms.anytime) blocks_ = terms;
  }
  double u() const { return blocks_ ? blocks_->u_at(rounds_ + 1) : u_; }

  double u_;
  double factor_;
  double sum_ = 0.0;
  double scale_ = 0.0;
  std::optional<Terms> blocks_;  // without a horizon
  std::int64_t rounds_ = 0;      // learned
};

// A gain without state: only its name is saved.
class StillGain : public Gain {
 public:
  void learn(double) final {}
  void save(ByteWriter& out) const final;
  Result<> load(ByteReader& in) final;

 protected:
  explicit StillGain(const char* name) : name_(name) {}

 private:
  const char* name_;
};

class ConstantGain final : public StillGain {
 public:
  static Result<std::unique_ptr<Gain>> make(const Spec& spec, const Terms& terms);
  explicit ConstantGain(double gamma) : StillGain("constant"), gamma_(gamma) {}
  double gamma(const Books& books, const Prices& prices, int actions) const override;

 private:
  double gamma_;
};

class RootGain final : public StillGain {
 public:
  static Result<std::unique_ptr<Gain>> make(const Spec& spec, const Terms& terms);
  RootGain(double factor, double power, double relief = 0.0)
      : StillGain("root_t"), factor_(factor), power_(power), relief_(relief) {}
  double gamma(const Books& books, const Prices& prices, int actions) const override;

 private:
  double factor_;
  double power_;
  double relief_;
};

class NoiseGain final : public StillGain {
 public:
  static Result<std::unique_ptr<Gain>> make(const Spec& spec, const Terms& terms);
  explicit NoiseGain(double factor) : StillGain("noise"), factor_(factor) {}
  double gamma(const Books& books, const Prices& prices, int actions) const override;

 private:
  double factor_;
};

// Prices are Q_i / V: with beta = V / (V + sum Q_i), gamma beta is gamma / (1 + sum of prices).
class Loe2dGain final : public StillGain {
 public:
  static Result<std::unique_ptr<Gain>> make(const Spec& spec, const Terms& terms);
  Loe2dGain(double factor, bool balanced)
      : StillGain("loe2d"), factor_(factor), balanced_(balanced) {}
  double gamma(const Books& books, const Prices& prices, int actions) const override;

 private:
  double factor_;  // scale sqrt(T / U)
  bool balanced_;
};

}  // namespace rein
