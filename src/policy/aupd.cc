#include "policy/aupd.h"

#include "policy/peer.h"
#include "policy/stop.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_aupd(const Spec& spec, const Shape& shape) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  PeerParts parts{.pricer = Spec("queue"), .gain = Spec("constant"), .explorer = Spec("greedy")};
  parts.confidence = read_confidence(read);
  const double v_scale = read.number("v_scale", 1.0, {.low = kMinScale, .high = kMaxScale});
  const std::int64_t null = read.integer("null", -1, 0, kMaxActions - 1);
  if (auto done = read.finish(); !done) return Error{done.error()};

  auto planned = plan_peer(spec, keys, shape);
  if (!planned) return Error{planned.error()};
  Plan& plan = planned.value();
  plan.terms.v_scale = v_scale;
  auto form = Form::knapsack(plan.terms);
  if (!form) return Error{form.error()};
  if (auto fits =
          fit_confidence(keys.oracle, plan.oracle->dimension(), plan.terms.costs, parts.confidence);
      !fits) {
    return Error{fits.error()};
  }
  auto policy = compose_peer(spec, std::move(plan), form.value(), parts);
  return null < 0 ? std::move(policy) : stop_at_budget(std::move(policy), null);
}

}  // namespace rein
