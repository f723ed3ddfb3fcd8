#include "policy/peers/weakly_adaptive.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "policy/peers/peer.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_weakly_adaptive(const Spec& spec, const Shape& shape,
                                                     const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, PlanKeys::Classes::kTwo);
  const Limits scale{.low = kMinScale, .high = kMaxScale};
  const double eta_scale = read.number("eta_scale", 1.0, scale);
  const double gamma_scale = read.number("gamma_scale", 1.0, scale);
  const double delta = read.number("delta", 0.05, {.low = kMinScale, .high = 1.0});
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = plan_peer(spec, keys, shape, own);
  if (!planned) return planned.failure();
  Plan& plan = planned.value();
  plan.terms.gamma_scale = gamma_scale;
  const double t = static_cast<double>(std::max<std::int64_t>(plan.terms.rounds, 2));
  const double v = (plan.terms.root() + std::sqrt(t * log(t / delta))) / eta_scale;
  PeerParts parts{.specs = {Spec("quadratic"), Spec("loe2d"), Spec("igw")}};
  parts.specs.pricer.set("queue", {.is = Spec("reflect")});
  parts.specs.pricer.set("v", {.is = 2.0 * v});
  parts.specs.gain.set("balanced", {.is = 1.0});
  const Form form = Form::zero_threshold(plan.terms);
  return compose_peer(spec, std::move(plan), form, std::move(parts));
}

}  // namespace rein
