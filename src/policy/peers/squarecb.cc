#include "policy/peers/squarecb.h"

#include <cmath>

#include "base/math.h"
#include "policy/peers/unpriced.h"
#include "policy/plan.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_squarecb(const Spec& spec, const Shape& shape,
                                              const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, PlanKeys::Classes::kReward);
  const double delta = read.number("delta", 0.05, {.above = 0.0, .high = 1.0});
  const double gamma_scale = read.number("gamma_scale", 1.0, {.low = kMinScale, .high = kMaxScale});
  const Spec explorer = read.spec("explorer", "square");
  const bool has_gain = read.has("gain");
  Spec gain = read.spec("gain", "constant");
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = make_plan(keys, shape, Setting::kExpectation, /*reward_only=*/true, own);
  if (!planned) return planned.failure();
  Plan& plan = planned.value();
  plan.terms.gamma_scale = gamma_scale;
  if (!has_gain && plan.terms.rounds == 0) gain = Spec("root_t");
  if (!has_gain && plan.terms.rounds > 0) {
    const double kt =
        static_cast<double>(plan.terms.actions) * static_cast<double>(plan.terms.rounds);
    gain.set("gamma", {.is = std::sqrt(kt / (plan.terms.u + log(2.0 / delta)))});
  }
  return compose_unpriced(spec, std::move(plan), gain, explorer);
}

}  // namespace rein
