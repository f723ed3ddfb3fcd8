#include "policy/squarecbwk.h"

#include <cmath>

#include "base/math.h"
#include "policy/peer.h"
#include "policy/two_stage.h"

namespace rein {
namespace {

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

double squarecbwk_gamma(const Terms& terms, double z) {
  const auto t = static_cast<double>(terms.rounds);
  const double costs = terms.costs == 0 ? 0.0 : (z + 1.0) * (z + 1.0) * terms.u;
  return std::sqrt(terms.actions * t / (terms.u + costs + 4.0 * log(2.0 * t)));
}

double squarecbwk_step(const Terms& terms) {
  return log(terms.costs + 1.0) / std::sqrt(static_cast<double>(terms.rounds));
}

Result<std::unique_ptr<Policy>> make_squarecbwk(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  const Keys keys(read);
  if (auto done = read.finish(); !done) return Error{done.error()};
  auto planned = plan_knapsack(spec, keys.plan, shape);
  if (!planned) return Error{planned.error()};
  auto& [plan, form] = planned.value();
  plan.terms.gamma_scale = keys.gamma_scale;

  if (keys.stages == 2 && plan.terms.costs > 0) {
    auto policy = TwoStage::make(spec, std::move(plan), form,
                                 {.explore = keys.explore, .z_scale = keys.z_scale});
    return stop_at_budget(std::move(policy), keys.null);
  }
  const double z = keys.z_scale * (keys.z ? *keys.z : 1.0 / form.rate());
  PeerParts parts{.specs = {Spec("hedge"), Spec("constant"), Spec("square")}, .null = keys.null};
  parts.specs.pricer.set("reach", {.is = z});
  if (plan.terms.costs > 0) parts.specs.pricer.set("step", {.is = squarecbwk_step(plan.terms)});
  parts.specs.gain.set("gamma", {.is = squarecbwk_gamma(plan.terms, z)});
  return compose_peer(spec, std::move(plan), form, parts);
}

}  // namespace rein
