#include "policy/peers/pacer.h"

#include "policy/peers/peer.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_pacer(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  PeerParts parts{.specs = {Spec("ema"), Spec("constant"), Spec("greedy")}};
  Spec& pricer = parts.specs.pricer;
  const double alpha = read.number("alpha", 0.5, {.low = 0.0, .high = kMaxScale});
  pricer.set("weight", {.is = read.number("ema", 0.05, {.above = 0.0, .high = 1.0})});
  pricer.set("lr", {.is = read.number("lr", 0.05, {.low = 0.0, .high = kMaxScale})});
  pricer.set("cap", {.is = read.number("cap", 5.0, {.low = 0.0, .high = kMaxParameter})});
  pricer.set("scale", {.is = read.number("lam_scale", 1.0, {.low = kMinScale, .high = kMaxScale})});
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = plan_knapsack(spec, keys, shape, own);
  if (!planned) return planned.failure();
  auto& [plan, form] = planned.value();
  if (auto fits = fit_confidence(plan, keys, parts.confidence); !fits) return fits.failure();
  parts.confidence = {.reward = 1.0, .scale = alpha};  // a radius that does not change
  return compose_peer(spec, std::move(plan), form, std::move(parts));
}

}  // namespace rein
