#include "policy/lincbwk.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "policy/peer.h"
#include "policy/stop.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_lincbwk(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  PeerParts parts{.pricer = Spec("hedge"), .gain = Spec("constant"), .explorer = Spec("greedy")};
  parts.confidence = read_confidence(read);
  const auto z = read.number("z", {.low = kMinParameter, .high = kMaxParameter});
  const std::int64_t given = read.integer("explore", 0, 1, kMaxHorizon);
  if (z && given > 0) read.refuse("both \"z\" and \"explore\" are given; accepted: one of them");
  const std::int64_t null = read.integer("null", -1, 0, kMaxActions - 1);
  if (auto done = read.finish(); !done) return Error{done.error()};

  auto planned = plan_peer(spec, keys, shape);
  if (!planned) return Error{planned.error()};
  Plan& plan = planned.value();
  auto form = Form::knapsack(plan.terms);
  if (!form) return Error{form.error()};
  const int d = plan.oracle->dimension();
  if (auto fits = fit_confidence(keys.oracle, d, plan.terms.costs, parts.confidence); !fits) {
    return Error{fits.error()};
  }
  if (z) {
    parts.pricer.set("reach", {.is = *z});
  } else if (plan.terms.costs > 0) {
    const auto usual =
        static_cast<std::int64_t>(std::ceil(d * std::sqrt(static_cast<double>(plan.terms.rounds))));
    parts.first_stage =
        given > 0 ? given : std::clamp<std::int64_t>(plan.terms.rounds / 2, 1, usual);
  }
  if (plan.terms.costs > 0) {
    const double t = static_cast<double>(plan.terms.rounds);
    parts.pricer.set("step", {.is = std::sqrt(log(plan.terms.costs + 1.0) / t)});
  }
  auto policy = compose_peer(spec, std::move(plan), form.value(), parts);
  return null < 0 ? std::move(policy) : stop_at_budget(std::move(policy), null);
}

}  // namespace rein
