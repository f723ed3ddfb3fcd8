#include "policy/pgd.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/math.h"
#include "base/size.h"
#include "estimate/heads.h"
#include "explore/distribution.h"
#include "policy/base.h"
#include "policy/confidence.h"
#include "policy/peer.h"
#include "price/gradient.h"

namespace rein {
namespace {

class Pgd final : public PolicyBase {
 public:
  Pgd(const Spec& spec, Plan plan, const Form& form, const Confidence& confidence,
      const GradientPrice::Options& options)
      : PolicyBase(spec, plan, form),
        confidence_(confidence),
        oracle_(std::move(plan.oracle)),
        pricer_(plan.terms, options) {}

  std::size_t scratch() const override { return oracle_->scratch(); }

 private:
  double upper_reward(const Estimates& estimates, double wide, std::size_t a) const {
    return std::min(estimates.mean(0)[a] / unit(0) + wide, shape().reward.high / unit(0));
  }
  double lower_cost(const Estimates& estimates, int i, double wide, std::size_t a) const {
    const double low = shape().costs[as_size(i)].range.low / unit(i + 1);
    return std::max(estimates.mean(i + 1)[a] / unit(i + 1) - wide, low);
  }

  void choose(const Round& round, Scratch& scratch, Decision& decision) const override {
    scratch.reset(this->scratch());
    oracle_->predict(round, scratch, decision.estimates);
    const Estimates& said = decision.estimates;
    const double radius = confidence_.radius(rounds());
    const std::span<double> scores = decision.scores();
    for (std::size_t a = 0; a < scores.size(); ++a) {
      const double wide = radius * half_width(said.width()[a]);
      double score = upper_reward(said, wide, a);
      for (int i = 0; i < costs(); ++i) score -= decision.prices[i] * lower_cost(said, i, wide, a);
      scores[a] = score;
    }
    put_on_best(scores, decision.probabilities());
    decision.gamma = 1.0;
  }

  // A decision made elsewhere has no estimates: then the price moves by the cost itself. The radius
  // of an outcome that comes late is that of the present: a little larger than when it was decided.
  void absorb(const Round& round, const Decision& decision, const Outcome& outcome,
              const Costs& queued) override {
    Costs gradient = queued;
    const Estimates& said = decision.estimates;
    if (said.actions() == round.actions && said.heads() == shape().heads()) {
      const auto a = as_size(decision.action);
      const double wide = confidence_.radius(rounds() - 1) * half_width(said.width()[a]);
      for (int i = 0; i < costs(); ++i) {
        gradient[i] = lower_cost(said, i, wide, a) - form().rates()[i];
      }
    }
    double learned[1 + kMaxCosts];
    learned[0] = outcome.reward;
    std::copy(outcome.costs.begin(), outcome.costs.end(), learned + 1);
    oracle_->learn(round, decision.action, {learned, as_size(shape().heads())});
    pricer_.step(gradient, queued);
  }

  Costs prices(const Costs& reserved) const override {
    Prices prices;
    pricer_.price({.reserved = reserved}, prices);
    if (prices.log_scale == 0.0) return prices.scaled;
    for (double& price : prices.scaled) price *= exp(prices.log_scale);
    return prices.scaled;
  }
  Costs queues() const override { return pricer_.queues(); }
  Costs parameters() const override { return pricer_.parameters(); }
  const Oracle* oracle() const override { return oracle_.get(); }

  void save_parts(ByteWriter& out) const override {
    oracle_->save(out);
    pricer_.save(out);
  }
  Result<> load_parts(ByteReader& in) override {
    if (auto done = oracle_->load(in); !done) return done;
    return pricer_.load(in);
  }

  Confidence confidence_;
  std::unique_ptr<Oracle> oracle_;
  GradientPrice pricer_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_pgd(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  Confidence confidence = read_confidence(read, Radius::kEllipsoid);
  GradientPrice::Options options = GradientPrice::read_options(read);
  options.delta = confidence.delta;
  if (auto done = read.finish(); !done) return Error{done.error()};

  auto planned = plan_peer(spec, keys, shape);
  if (!planned) return Error{planned.error()};
  Plan& plan = planned.value();
  if (auto fits = fit_confidence(plan, keys, confidence); !fits) return Error{fits.error()};
  const Form form = Form::zero_threshold(plan.terms);
  return std::make_unique<Pgd>(spec, std::move(plan), form, confidence, options);
}

}  // namespace rein
