// gradient: the price is the iterate of projected gradient descent on the dual. The step doubles
// while costs grow too fast (Chzhen, Giraud, Li, Stoltz, NeurIPS 2023). In zero-threshold form (g_i
// = c_i - b_i, price/forms.h), with a safety margin b per round:
//
//     lam_i  <- max(0, lam_i + step_k (g_i + b))               starts at 0, price_i = lam_i
//     step_k  = step_scale 2^k / sqrt(T)                       k = 0 first
//     regime k ends, lam = 0 and k + 1 begins once  |(sum of (g + b) since it began)_+| > M_k
//     M_k     = threshold_scale (4 sqrt(T) + sqrt(2 m T ln(m (k + 1) (k + 2) / delta)))
//     b       = margin_scale / sqrt(T), at most half of b_i where b_i > 0
//
// The steps, the test and a margin of order 1 / sqrt(T) are the paper's. The constants of M_k and
// of the margin are ours: docs/policy/pgd.md. adaptive=0 stays in regime 0.
#pragma once

#include "base/spec_reader.h"
#include "rein/pricer.h"

namespace rein {

class GradientPrice final : public Pricer {
 public:
  struct Options {
    bool adaptive = true;
    double delta = 0.05;
    double margin_scale = 1.0;
    double step_scale = 1.0;
    double threshold_scale = 1.0;
  };
  // Reads all keys except delta.
  static Options read_options(SpecReader& read);
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);
  // REQUIRES terms.rounds >= 1.
  GradientPrice(const Terms& terms, const Options& options);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books&, const Paid& paid) override {
    step(paid.queued, paid.queued, paid.first);
  }
  // One round whose gradient is a bound on the cost, not the cost itself. Both minus their
  // threshold.
  void step(std::span<const double> gradient, std::span<const double> costs, bool first = true);
  // The sums of g + b in this regime.
  Costs queues() const override { return sums_; }
  Costs parameters() const override { return Costs(lam_.size(), size()); }
  int regime() const { return static_cast<int>(regime_); }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  double size() const;       // step_k
  double threshold() const;  // M_k

  Options options_;
  double root_;  // sqrt(T)
  Costs margins_;
  Costs lam_;
  Costs sums_;
  std::int64_t regime_ = 0;
};

}  // namespace rein
