#include "policy/peers/squarecbwk.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "explore/gains.h"
#include "policy/peers/peer.h"

namespace rein {
namespace {

constexpr std::int64_t kMaxExplore = 1 << 20;  // rounds of the first stage

// gamma at this Z, before gamma_scale.
double gamma_at(const Terms& terms, double z) {
  const auto t = static_cast<double>(terms.rounds);
  const double costs = terms.costs == 0 ? 0.0 : (z + 1.0) * (z + 1.0) * terms.u;
  return std::sqrt(terms.actions * t / (terms.u + costs + 4.0 * log(2.0 * t)));
}

// gamma at the Z that a first stage found; until then 0, which makes every action as likely.
class ReachGain final : public StillGain {
 public:
  explicit ReachGain(const Terms& terms) : StillGain("reach"), terms_(terms) {}
  double gamma(const Books& books, const Prices& prices, int) const override {
    if (books.reach == 0.0) return 0.0;
    return terms_.gamma_scale * gamma_at(terms_, books.reach) * exp(prices.log_scale);
  }

 private:
  Terms terms_;
};

// T0 = sqrt(K T U), at most T / 4, unless it was given.
std::int64_t first_rounds(std::int64_t given, const Terms& terms) {
  if (given > 0) return given;
  const auto usual = static_cast<std::int64_t>(std::ceil(std::min(terms.root(), 1e9)));
  return std::clamp(std::min(usual, terms.rounds / 4), std::int64_t{2}, kMaxExplore);
}

// Every key of squarecbwk, as given.
struct Keys {
  explicit Keys(SpecReader& read)
      : plan(read, PlanKeys::Classes::kTwo),
        stages(read.integer("stages", 1, 1, 2)),
        explore(read.integer("explore", 0, 2, kMaxExplore)),
        z(read.number("z", Limits{.low = kMinParameter, .high = kMaxParameter})),
        null(read_null(read)) {
    const Limits scale{.low = kMinScale, .high = kMaxScale};
    gamma_scale = read.number("gamma_scale", 1.0, scale);
    z_scale = read.number("z_scale", 1.0, scale);
    if (explore > 0 && stages == 1) {
      read.refuse("key \"explore\" needs two stages; accepted: stages=2");
    }
    if (z && stages == 2) {
      read.refuse("key \"z\" says what stages=2 estimates; accepted: one of them");
    }
  }
  PlanKeys plan;
  std::int64_t stages;
  std::int64_t explore;
  std::optional<double> z;
  std::int64_t null;
  double gamma_scale, z_scale;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_squarecbwk(const Spec& spec, const Shape& shape,
                                                const Own& own) {
  SpecReader read(spec, "policy spec");
  const Keys keys(read);
  if (auto done = read.finish(); !done) return done.failure();
  auto planned = plan_knapsack(spec, keys.plan, shape, own);
  if (!planned) return planned.failure();
  auto& [plan, form] = planned.value();
  plan.terms.gamma_scale = keys.gamma_scale;

  const double z = keys.z_scale * (keys.z ? *keys.z : 1.0 / form.rate());
  PeerParts parts{.specs = {Spec("hedge"), Spec("constant"), Spec("square")}, .null = keys.null};
  if (plan.terms.costs > 0) {
    const double root = std::sqrt(static_cast<double>(plan.terms.rounds));
    parts.specs.pricer.set("step", {.is = log(plan.terms.costs + 1.0) / root});
  }
  if (keys.stages == 2 && plan.terms.costs > 0) {
    parts.first = {.kind = FirstStage::Kind::kUniform,
                   .rounds = first_rounds(keys.explore, plan.terms),
                   .z_scale = keys.z_scale};
    parts.gain = std::make_unique<ReachGain>(plan.terms);
  } else {
    parts.specs.pricer.set("reach", {.is = z});
    parts.specs.gain.set("gamma", {.is = gamma_at(plan.terms, z)});
  }
  return compose_peer(spec, std::move(plan), form, std::move(parts));
}

}  // namespace rein
