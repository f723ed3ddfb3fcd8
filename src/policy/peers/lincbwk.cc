#include "policy/peers/lincbwk.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "policy/peers/peer.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_lincbwk(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  PeerParts parts{.specs = {Spec("hedge"), Spec("constant"), Spec("greedy")}};
  parts.confidence = read_confidence(read, Radius::kLinCBwK);
  const auto z = read.number("z", {.low = kMinParameter, .high = kMaxParameter});
  const std::int64_t given = read.integer("explore", 0, 1, kMaxHorizon);
  if (z && given > 0) read.refuse("both \"z\" and \"explore\" are given; accepted: one of them");
  parts.null = read_null(read);
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = plan_knapsack(spec, keys, shape, own);
  if (!planned) return planned.failure();
  auto& [plan, form] = planned.value();
  if (auto fits = fit_confidence(plan, keys, parts.confidence); !fits) return fits.failure();
  if (z) {
    parts.specs.pricer.set("reach", {.is = *z});
  } else if (plan.terms.costs > 0) {
    const double d = plan.oracle->dimension();
    const auto usual =
        static_cast<std::int64_t>(std::ceil(d * std::sqrt(static_cast<double>(plan.terms.rounds))));
    parts.first.rounds =
        given > 0 ? given : std::clamp<std::int64_t>(plan.terms.rounds / 2, 1, usual);
  }
  if (plan.terms.costs > 0) {
    const double t = static_cast<double>(plan.terms.rounds);
    parts.specs.pricer.set("step", {.is = std::sqrt(log(plan.terms.costs + 1.0) / t)});
  }
  return compose_peer(spec, std::move(plan), form, std::move(parts));
}

}  // namespace rein
