#include "policy/peers/aupd.h"

#include "policy/peers/peer.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_aupd(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  PeerParts parts{.specs = {Spec("queue"), Spec("constant"), Spec("greedy")}};
  parts.confidence = read_confidence(read, Radius::kEllipsoid);
  parts.null = read_null(read);
  const double v_scale = read.number("v_scale", 1.0, {.low = kMinScale, .high = kMaxScale});
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = plan_knapsack(spec, keys, shape, own);
  if (!planned) return planned.failure();
  auto& [plan, form] = planned.value();
  plan.terms.v_scale = v_scale;
  if (auto fits = fit_confidence(plan, keys, parts.confidence); !fits) return fits.failure();
  return compose_peer(spec, std::move(plan), form, std::move(parts));
}

}  // namespace rein
