// Room for open decisions: which open decision gives way to a new one, and changes of the limits.
#include <fmt/format.h>

#include <algorithm>

#include "base/came.h"
#include "base/size.h"
#include "engine/heart.h"

namespace rein {

Result<> Engine::Heart::check_room() const {
  if (!open.full() || oldest_to_give_way() >= 0) return {};
  return Error{
      fmt::format("engine: {} decisions are open, and of each a hard budget still holds a cost; "
                  "accepted: at most {} (most_open). Send their costs, cancel those that cost "
                  "nothing, set expire_after, or raise most_open",
                  open.size(), config.options.most_open),
      Reason::kFull};
}

std::int64_t Engine::Heart::room_at(const ScopeKeys& keys) const {
  const std::int64_t patience = config.options.expire_after;
  const bool expires = patience > 0 && open.size() > 0;
  const std::int64_t at = expires ? open[open.oldest()].record.at + patience + 1 : -1;
  const std::int64_t keys_at = budgets.room_at(keys, now, at);
  if (check_room()) return keys_at;
  return at < 0 || keys_at < 0 ? -1 : std::max(at, keys_at);
}

bool Engine::Heart::holds_no_money(const Open::Slot& decision) const {
  for (int i = 0; decision.run_claim.run != 0 && i < billed.size(); ++i) {
    if ((~decision.came & cost_came(i)) != 0 && decision.run_claim.holds[as_size(i)] > 0) return false;
  }
  for (int i = 0; i < billed.size(); ++i) {
    if ((hard_costs & ~decision.came & cost_came(i)) == 0) continue;
    if (decision.claim.holds.largest[as_size(i)] > 0) return false;
  }
  return true;
}

std::int32_t Engine::Heart::oldest_to_give_way() const {
  return hard_costs == 0 ? open.oldest() : open.oldest_to_give_way();
}

void Engine::Heart::make_room() {
  last_gave_way.clear();
  for (int n = 0; n < kLeaveAtOnce && open.full(); ++n) {
    const std::int32_t slot = oldest_to_give_way();
    if (slot < 0) return;
    last_gave_way.push_back(open[slot].record.id);
    learn_expiring(slot, 1);
    expire(slot);
    gave_way += 1;
  }
}

Result<> Engine::Heart::fold(const LimitsRecord& record) {
  change = Change::kNothing;
  EngineOptions next = config.options;
  next.most_open = record.most_open;
  next.expire_after = record.expire_after;
  if (auto ok = check_limits(next); !ok) return ok;
  config.options.most_open = record.most_open;
  config.options.expire_after = record.expire_after;
  open.set_most(record.most_open);
  change = Change::kLimits;
  return {};
}

}  // namespace rein
