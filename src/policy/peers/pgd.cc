#include "policy/peers/pgd.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "base/units.h"
#include "explore/distribution.h"
#include "policy/base.h"
#include "policy/confidence.h"
#include "policy/peers/peer.h"
#include "price/gradient.h"
#include "rein/bytes.h"

namespace rein {
namespace {

class Pgd final : public PolicyBase {
 public:
  Pgd(const Spec& spec, Plan plan, const Confidence& confidence,
      const GradientPrice::Options& options)
      : PolicyBase(spec, plan.shape, std::move(plan.oracle), peer_rules(plan)),
        confidence_(confidence),
        pricer_(plan.terms, options) {}

 private:
  double lower_cost(const Estimates& estimates, int i, double wide, std::size_t a) const {
    return estimates.mean(i + 1)[a] / unit(i + 1) - wide;
  }

  std::span<const double> choose(const Round&, const Books& books, Scratch&,
                                 Decision& decision) const override {
    Prices prices;
    pricer_.price(books, prices);
    const double scale = prices.log_scale == 0.0 ? 1.0 : exp(prices.log_scale);
    for (double& price : prices.scaled) price *= scale;
    const Estimates& said = decision.estimates;
    const double radius = confidence_.radius(rounds());
    const std::span<double> scores = decision.scores();
    for (std::size_t a = 0; a < scores.size(); ++a) {
      const double wide = radius * half_width(said.width()[a]);
      double score = said.mean(0)[a] / unit(0) + wide;
      for (int i = 0; i < costs(); ++i) score -= prices.scaled[i] * lower_cost(said, i, wide, a);
      scores[a] = score;
    }
    put_on_best(scores, decision.probabilities());
    decision.gamma = 1.0;
    decision.prices = in_shape(prices.scaled);
    return {};
  }

  // A decision made elsewhere has no estimates: then the price moves by the cost itself. The radius
  // of an outcome that comes late is that of the present: a little larger than when it was decided.
  void commit(const Lesson& lesson, Books&) override {
    Costs gradient = lesson.queued;
    const Estimates& said = lesson.decision.estimates;
    if (said.actions() == lesson.round.actions && said.heads() == shape().heads()) {
      const auto a = as_size(lesson.decision.action);
      const double wide = confidence_.radius(rounds() - 1) * half_width(said.width()[a]);
      for (int i = 0; i < costs(); ++i) {
        const double low = shape().costs[as_size(i)].range.low / unit(i + 1);
        gradient[i] = std::max(lower_cost(said, i, wide, a), low) - rules().rate[i];
      }
    }
    pricer_.step(gradient, lesson.queued);
  }

  void tell(PolicyState& state) const override {
    state.queues = pricer_.queues();
    state.parameters = pricer_.parameters();
  }
  void save_parts(ByteWriter& out) const override { pricer_.save(out); }
  Result<> load_parts(ByteReader& in) override { return pricer_.load(in); }

  Confidence confidence_;
  GradientPrice pricer_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_pgd(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  Confidence confidence = read_confidence(read, Radius::kEllipsoid);
  GradientPrice::Options options = GradientPrice::read_options(read);
  options.delta = confidence.delta;
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = plan_peer(spec, keys, shape, own);
  if (!planned) return planned.failure();
  Plan& plan = planned.value();
  if (auto fits = fit_confidence(plan, keys, confidence); !fits) return fits.failure();
  return std::make_unique<Pgd>(spec, std::move(plan), confidence, options);
}

}  // namespace rein
