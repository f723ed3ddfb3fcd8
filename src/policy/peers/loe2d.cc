#include "policy/peers/loe2d.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "policy/peers/peer.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_loe2d(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, PlanKeys::Classes::kTwo);
  const Limits scale{.low = kMinScale, .high = kMaxScale};
  const double v_scale = read.number("v_scale", 1.0, scale);
  const double gamma_scale = read.number("gamma_scale", 1.0, scale);
  const bool balanced = read.flag("balanced", false);
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = plan_peer(spec, keys, shape, own);
  if (!planned) return planned.failure();
  Plan& plan = planned.value();
  plan.terms.gamma_scale = gamma_scale;
  const double t = static_cast<double>(std::max<std::int64_t>(plan.terms.rounds, 2));
  const double v = v_scale * std::sqrt(t * plan.terms.u * log(t));
  PeerParts parts{.specs = {Spec("quadratic"), Spec("loe2d"), Spec("igw")}};
  parts.specs.pricer.set("queue", {.is = Spec("reflect")});
  parts.specs.pricer.set("v", {.is = 2.0 * v});
  parts.specs.gain.set("balanced", {.is = balanced ? 1.0 : 0.0});
  const Form form = Form::zero_threshold(plan.terms);
  return compose_peer(spec, std::move(plan), form, std::move(parts));
}

}  // namespace rein
