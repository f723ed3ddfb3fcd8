// What becomes of a decision: its outcome comes, in time or late, or it expires, or it is given up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/own.h"
#include "base/size.h"
#include "engine/heart.h"

namespace rein {
namespace {

// The outcome as the policy may learn it: no cost above its range. Returns how many were.
int clip(const Shape& shape, Outcome& outcome) {
  int above = 0;
  for (int i = 0; i < std::min(outcome.costs.size(), static_cast<int>(shape.costs.size())); ++i) {
    const double most = shape.costs[as_size(i)].range.high;
    if (!(outcome.costs[i] > most) || !std::isfinite(outcome.costs[i])) continue;
    outcome.costs[i] = most;
    ++above;
  }
  return above;
}

Error already(std::uint64_t id, std::string_view what) {
  return {fmt::format("decision {:016x}: it already has another outcome{}", id, what),
          Reason::kConflict};
}

}  // namespace

void Engine::Heart::pay(Claim& claim, const Costs& costs) {
  for (int i = 0; i < costs.size(); ++i) {
    billed[i] += costs[i];
    if (!budgets.empty()) budgets.pay(claim, i, nearest_micros_up(costs[i]));
  }
}

Result<LearnResult> Engine::Heart::learn(std::uint64_t id, const Outcome& outcome) {
  change = Change::kNothing;
  const std::int32_t slot = open.find(id);
  if (slot < 0) return answer_settled(id, outcome);
  const DecideRecord& decided = open[slot].record;
  Outcome inside = outcome;
  const int above = clip(policy->shape(), inside);
  auto done = policy->learn(decided.round.view(), decided.decision, inside);
  if (!done) return done.failure();
  learned += 1;
  clipped += above;
  pay(open.claim(slot), outcome.costs);
  close(slot, digest_of(id, outcome));
  last_learned = {.id = id, .outcome = outcome};
  change = Change::kLearned;
  return LearnResult::kApplied;
}

Result<LearnResult> Engine::Heart::answer_settled(std::uint64_t id, const Outcome& outcome) {
  const std::uint64_t number = cipher.number_of(id);
  if (number >= decided_count) {
    return Error{fmt::format("decision {:016x}: no decision ever had this id", id),
                 Reason::kUnknown};
  }
  const Settled::Entry* entry = settled.find(number);
  if (entry == nullptr) {
    too_late += 1;
    return Error{fmt::format("decision {:016x}: settled too long ago; only the last {} "
                             "are remembered",
                             id, config.options.remember),
                 Reason::kExpired};
  }
  const std::uint64_t digest = digest_of(id, outcome);
  if (entry->digest == digest) return LearnResult::kDuplicate;
  if (entry->digest == kCancelledDigest) return already(id, ": it was given up");
  if (entry->digest != kExpiredDigest) return already(id, "; accepted: the same one again");
  Outcome inside = outcome;
  clip(policy->shape(), inside);
  if (auto fits = validate(policy->shape(), inside); !fits) return fits.failure();
  last_learned = {.id = id, .outcome = outcome};
  change = Change::kLearned;
  return learn_late(number, digest, outcome);
}

LearnResult Engine::Heart::learn_late(std::uint64_t number, std::uint64_t digest,
                                      const Outcome& outcome) {
  late += 1;
  settled.replace(number, digest);
  Claim none;
  const auto claim = expired_claims.find(number);
  pay(claim == expired_claims.end() ? none : claim->second, outcome.costs);
  if (claim != expired_claims.end()) expired_claims.erase(claim);
  return LearnResult::kLate;
}

Result<> Engine::Heart::cancel(std::uint64_t id) {
  change = Change::kNothing;
  const std::int32_t slot = open.find(id);
  if (slot < 0) {
    const std::uint64_t number = cipher.number_of(id);
    const Settled::Entry* entry = number < decided_count ? settled.find(number) : nullptr;
    if (entry != nullptr && entry->digest == kCancelledDigest) return {};
    if (entry != nullptr && entry->digest != kExpiredDigest) {
      return already(id, ", so it cannot be given up");
    }
    const bool known = number < decided_count;
    return Error{fmt::format("decision {:016x}: {}", id,
                             known ? "it is no longer open" : "no decision ever had this id"),
                 known ? Reason::kExpired : Reason::kUnknown};
  }
  for (int i = 0; !budgets.empty() && i < billed.size(); ++i) budgets.give_up(open.claim(slot), i);
  cancelled += 1;
  close(slot, kCancelledDigest);
  last_cancelled = {.id = id};
  change = Change::kCancelled;
  return {};
}

void Engine::Heart::close(std::int32_t slot, std::uint64_t digest) {
  reserve(open[slot].record, -1);
  const auto forgotten = settled.push({.number = open[slot].number, .digest = digest});
  if (forgotten && !expired_claims.empty()) expired_claims.erase(*forgotten);
  open.remove(slot);
}

void Engine::Heart::learn_expiring(std::int64_t count) {
  if (!config.options.default_outcome || count == 0) return;
  const bool may_throw =
      uses_own(config.policy, OwnKind::kOracle) || uses_own(config.policy, OwnKind::kPolicy);
  const std::string before = may_throw ? policy->save() : std::string();
  try {
    std::int32_t slot = open.oldest();
    for (std::int64_t n = 0; n < count; ++n, slot = open[slot].newer) {
      const DecideRecord& decided = open[slot].record;
      // A policy refuses only a decision that it cannot have made, from a forged record. The fold
      // then continues, and the decision is not learned.
      static_cast<void>(
          policy->learn(decided.round.view(), decided.decision, *config.options.default_outcome));
    }
  } catch (...) {
    if (may_throw) policy->load(before).check();
    throw;
  }
}

void Engine::Heart::expire(std::int32_t slot) {
  if (!budgets.empty()) {
    Claim& claim = open.claim(slot);
    for (int i = 0; i < billed.size(); ++i) budgets.expire(claim, i);
    if (config.options.remember > 0) expired_claims[open[slot].number] = claim;
  }
  expired += 1;
  close(slot, kExpiredDigest);
}

Result<std::int64_t> Engine::Heart::fold(const TickRecord& ticked) {
  change = Change::kNothing;
  const std::int64_t to = ticked.now;
  if (to < now || to > kMaxClock) {
    return Error{fmt::format("tick: found {}; accepted: {} to {}, the clock never goes back", to,
                             now, kMaxClock)};
  }
  if (auto ok = check_opened(ticked); !ok) return ok.failure();
  std::int64_t count = 0;
  for (std::int32_t slot = open.oldest(); config.options.expire_after > 0 && slot >= 0 &&
                                          to - open[slot].record.at > config.options.expire_after;
       slot = open[slot].newer) {
    ++count;
  }
  learn_expiring(count);
  for (std::int64_t n = 0; n < count; ++n) expire(open.oldest());
  now = to;
  for (const TickRecord::Opened& opened : ticked.opened) {
    budgets.open_window(opened.budget, opened.window);
  }
  if (!budgets.empty()) budgets.advance(static_cast<std::int64_t>(decided_count), now);
  last_tick = ticked;
  change = Change::kTicked;
  return count;
}

}  // namespace rein
