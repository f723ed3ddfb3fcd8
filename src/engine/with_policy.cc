// The policy of an engine: the policy that its config means, or another policy with the same books
// (rein migrate).
#include <fmt/format.h>

#include "engine/blind.h"
#include "engine/heart.h"
#include "rein/bytes.h"

namespace rein {

Result<std::unique_ptr<Policy>> make_meant(const Config& config, const Shape& shape) {
  if (config.blind) return make_blind(config.policy, shape);
  const auto spec = meant(config.policy, config.meaning);
  if (!spec) return spec.failure();
  return make_policy(spec.value(), shape, config.own);
}

// Another policy made the open decisions, so their predictions are no test of this policy.
Result<std::unique_ptr<Engine::Heart>> Engine::Heart::with_policy(const Spec& spec) const {
  Config next = config;
  next.policy = spec;
  next.meaning = kMeaning;
  next.resolved.clear();
  next.paced.reset();
  next.blind = false;
  if (is_paced(next) != is_paced(config)) {
    return Error{fmt::format("policy {}: it {} the budgets of the model, and the one before {}; "
                             "accepted: a policy that does as that one did, such as ccb",
                             spec.str(), is_paced(next) ? "follows" : "does not follow",
                             is_paced(config) ? "did" : "did not")};
  }
  auto made = make(next);
  if (!made) return made;
  Heart& to = *made.value();
  std::string fresh = to.policy->save();
  if (roster.added() > 0) {
    Shape shape = config.shape;
    shape.added = roster.added();
    shape.actions = roster.places();
    shape.paced = is_paced(next);
    auto larger = make_meant(next, shape);
    if (!larger) return larger.failure();
    fresh = larger.value()->save();
  }
  ByteWriter state(kStateVersion);
  write_state(state, fresh);
  ByteReader in(state.bytes(), kStateVersion);
  if (auto ok = to.read_books(in); !ok) return ok.failure();
  if (auto ok = in.finish(); !ok) return ok.failure();
  to.history = history;
  constexpr std::int64_t kByAnother = -1;
  for (std::int32_t slot = to.open.oldest(); slot >= 0; slot = to.open[slot].newer) {
    to.open.decision(slot).learned = kByAnother;
  }
  return made;
}

}  // namespace rein
