// The end of a decision: its outcome comes, in time or late, or the decision expires, or it is
// given up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/came.h"
#include "base/check.h"
#include "base/own.h"
#include "base/size.h"
#include "engine/heart.h"

namespace rein {
namespace {

// The outcome as the policy may learn it: no cost above its range.
bool clip(const Shape& shape, Outcome& outcome) {
  bool above = false;
  for (int i = 0; i < std::min(outcome.costs.size(), static_cast<int>(shape.costs.size())); ++i) {
    const double highest = shape.costs[as_size(i)].range.high;
    if (!(outcome.costs[i] > highest) || !std::isfinite(outcome.costs[i])) continue;
    outcome.costs[i] = highest;
    above = true;
  }
  return above;
}

Error already(std::uint64_t id, std::string_view what) {
  return {fmt::format("decision {:016x}: it already has another outcome{}", id, what),
          Reason::kConflict, "id"};
}

}  // namespace

void Engine::Heart::pay(Claim& claim, RunClaim& run_claim, const Costs& costs) {
  if (notes_keys) used_keys.push_back(claim.keys);
  for (int i = 0; i < costs.size(); ++i) {
    if (is_missing(costs[i])) continue;
    billed[i] += costs[i];
    if (run_claim.run != 0) runs.pay(run_claim, i, bill_up(costs[i], budgets.coins(i)).value());
    if (budgets.empty()) continue;
    const double coins = budgets.coins(i);
    const bool exact = rules >= 2 && budgets.counts(i);
    budgets.pay(claim, i,
                exact ? bill_up(costs[i], coins).value() : nearest_micros_up(costs[i], coins));
  }
}

Result<> Engine::Heart::check_bills(const Costs& costs, bool in_run) const {
  for (int i = 0; (rules >= 2 || in_run) && i < std::min(costs.size(), billed.size()); ++i) {
    // A cost that is not finite is missing, or is refused later as no outcome.
    if ((!budgets.counts(i) && !in_run) || !std::isfinite(costs[i])) continue;
    if (auto bill = bill_up(costs[i], budgets.coins(i)); !bill) {
      const std::string& name = policy->shape().costs[as_size(i)].name;
      return bill.failure().in(fmt::format("outcome: cost \"{}\": ", name)).about("costs");
    }
  }
  return {};
}

Error Engine::Heart::conflict(std::uint64_t id, int part) const {
  const std::string what =
      part == 0 ? "the reward"
                : fmt::format("cost \"{}\"", policy->shape().costs[as_size(part - 1)].name);
  return {fmt::format("decision {:016x}: {} came before, with another value; accepted: the same "
                      "value again",
                      id, what),
          Reason::kConflict, "id"};
}

Result<LearnResult> Engine::Heart::learn(std::uint64_t id, const Outcome& outcome, const Outcome* lesson) {
  change = Change::kNothing;
  const std::int32_t slot = open.find(id);
  if (slot < 0) return answer_settled(id, outcome);
  return learn_part(slot, outcome, lesson);
}

// Costs that are not learned are booked like late bills, so that the prices know of them.
Result<Outcome> Engine::Heart::learn_lesson(const Open::Slot& held, Came news, const Outcome& outcome,
                                            const Outcome& lesson) {
  const int m = billed.size();
  Came parts = lesson.costs.size() == m ? came_of(lesson) & news : news & kRewardCame & came_of(lesson);
  if (parts != news && !policy->brief().learns_parts) parts = 0;
  Outcome taught = only(lesson, parts, m);
  static_cast<void>(clip(policy->shape(), taught));
  if (parts != 0) {
    if (auto fits = validate_parts(policy->shape(), taught); !fits) return fits.failure();
    auto done = policy->learn(in_places(held.record.round.view(), seats), held.record.decision, taught,
                              held.came == 0 ? Part::kFirst : Part::kLater);
    if (!done) return done.failure();
  }
  Outcome booked{.costs = Costs(m, kMissing)}, rest{.costs = Costs(m, kMissing)};
  bool any_booked = false, any_rest = false;
  for (int i = 0; i < m; ++i) {
    if ((news & cost_came(i)) == 0) continue;
    if ((parts & cost_came(i)) == 0) {
      booked.costs[i] = outcome.costs[i];
      any_booked = true;
    } else if (outcome.costs[i] != taught.costs[i]) {
      rest.costs[i] = outcome.costs[i] - taught.costs[i];
      any_rest = true;
    }
  }
  if (any_booked) static_cast<void>(policy->learn({}, {}, booked, Part::kBill));
  if (any_rest) static_cast<void>(policy->learn({}, {}, rest, Part::kCorrection));
  return taught;
}

Result<LearnResult> Engine::Heart::learn_part(std::int32_t slot, const Outcome& outcome, const Outcome* lesson) {
  const Open::Slot& held = open[slot];
  const std::uint64_t id = held.record.id;
  if (auto ok = check_bills(outcome.costs, held.record.run != 0); !ok) return ok.failure();
  Outcome inside = outcome;
  const bool above = clip(policy->shape(), inside);
  Came news = came_of(outcome);
  const bool whole = news == all_parts() && held.came == 0;
  if (!whole) {
    if (auto fits = validate_parts(policy->shape(), inside); !fits) return fits.failure();
    for (int part = 0; part <= billed.size(); ++part) {
      if ((news & held.came & (Came{1} << part)) == 0) continue;
      const double before = part == 0 ? held.outcome.reward : held.outcome.costs[part - 1];
      const double now_said = part == 0 ? outcome.reward : outcome.costs[part - 1];
      if (before != now_said) return conflict(id, part);
    }
    news &= ~held.came;
    if (news == 0) return LearnResult::kDuplicate;
    inside = only(inside, news, billed.size());
  }
  const Round round = in_places(held.record.round.view(), seats);
  Came taught = news;
  if (lesson != nullptr) {
    if (auto fits = validate_parts(policy->shape(), inside); !fits) return fits.failure();
    auto done = learn_lesson(held, news, outcome, *lesson);
    if (!done) return done.failure();
    inside = done.value();
    taught = came_of(inside);
  } else {
    auto done = policy->learn(round, held.record.decision, inside,
                              held.came == 0 ? Part::kFirst : Part::kLater);
    if (!done) return done.failure();
    if (above) bill_rest(outcome, inside);
  }
  last_learned.id = id;
  last_learned.outcome = whole ? outcome : only(outcome, news, billed.size());
  last_learned.lesson = lesson != nullptr ? std::optional(*lesson) : std::nullopt;
  for (int i = 0; i < billed.size(); ++i) {
    if ((news & cost_came(i)) == 0) continue;
    clipped += lesson == nullptr && outcome.costs[i] > inside.costs[i] ? 1 : 0;
    if (!seen.empty() && (taught & cost_came(i)) != 0) {
      seen.add(round.id(held.record.decision.action), i, lesson != nullptr ? inside.costs[i] : outcome.costs[i]);
    }
  }
  if (!bills.empty() && !held.record.holds.empty()) {
    learn_bills(held.record, round.id(held.record.decision.action), news, last_learned.outcome.costs);
  }
  pay(open.claim(slot), open.run_claim(slot), last_learned.outcome.costs);
  const bool complete = (held.came | news) == all_parts();
  if (whole) {
    reserve(held.record, news, -1);
    settle(slot, digests_of(id, outcome, news, kExpiredDigest));
  } else {
    take_parts(slot, news, last_learned.outcome);
    if (complete) close(slot, kExpiredDigest);  // no part is missing
  }
  learned += complete ? 1 : 0;
  rewarded += (taught & kRewardCame) != 0 ? 1 : 0;
  change = Change::kLearned;
  return LearnResult::kApplied;
}

// Pays the part of a cost above its range too, although nothing is learned from it.
void Engine::Heart::bill_rest(const Outcome& outcome, const Outcome& learned_part) {
  Outcome rest{.costs = Costs(billed.size(), kMissing)};
  bool any = false;
  for (int i = 0; i < billed.size(); ++i) {
    if (!(outcome.costs[i] > learned_part.costs[i])) continue;  // or it has not come
    rest.costs[i] = outcome.costs[i] - learned_part.costs[i];
    any = true;
  }
  if (any) static_cast<void>(policy->learn({}, {}, rest, Part::kCorrection));
}

void Engine::Heart::take_parts(std::int32_t slot, Came which, const Outcome& outcome) {
  partly += open[slot].came == 0 ? 1 : 0;
  reserve(open[slot].record, which, -1);
  open.take(slot, which, outcome);
  if (hard_costs != 0 && holds_no_money(open[slot])) open.let_give_way(slot);
}

Result<LearnResult> Engine::Heart::answer_settled(std::uint64_t id, const Outcome& outcome) {
  const std::uint64_t number = cipher.number_of(id);
  if (!given(number)) return unknown_id(id);
  const auto entry = settled.find(number);
  if (!entry) {  // its number was given, and it is not open: so it was settled
    too_late += (came_of(outcome) & ~kRewardCame) != 0 ? 1 : 0;
    return LearnResult::kForgotten;
  }
  if (entry->digests[0] == kCancelledDigest) return already(id, ": it was given up");
  const bool in_run = !expired_run_claims.empty() && expired_run_claims.contains(number);
  if (auto ok = check_bills(outcome.costs, in_run); !ok) return ok.failure();
  Outcome inside = outcome;
  clip(policy->shape(), inside);
  if (auto fits = validate_parts(policy->shape(), inside); !fits) return fits.failure();
  Came news = came_of(outcome);
  for (int part = 0; part <= billed.size(); ++part) {
    if ((news >> part & 1U) == 0) continue;
    const std::uint64_t before = entry->digests[as_size(part)];
    if (before == kExpiredDigest) continue;
    const double value = part == 0 ? outcome.reward : outcome.costs[part - 1];
    if (before != digest_of(id, part, value)) return conflict(id, part);
    news &= ~(Came{1} << part);
  }
  if (news == 0) return LearnResult::kDuplicate;
  if (came_of(outcome) == kRewardCame) {
    return Error{fmt::format("decision {:016x}: it has expired, and its reward is no longer "
                             "accepted; accepted: its costs",
                             id),
                 Reason::kExpired, "id"};
  }
  // the reward is not remembered either: sent alone it is refused, before and after this
  news &= ~kRewardCame;
  if (news == 0) return LearnResult::kLate;  // its costs were booked before
  last_learned = {.id = id, .outcome = only(outcome, news, billed.size())};
  change = Change::kLearned;
  learn_late(id, news, last_learned.outcome);
  return LearnResult::kLate;
}

// The policy counted the default costs as paid: it gets the difference.
void Engine::Heart::learn_late(std::uint64_t id, Came which, const Outcome& outcome) {
  late += 1;
  const std::uint64_t number = cipher.number_of(id);
  Outcome booked = outcome;
  clip(policy->shape(), booked);
  Outcome rest{.costs = Costs(billed.size(), kMissing)};
  const auto& usual = config.options.default_outcome;
  for (int i = 0; i < billed.size(); ++i) {
    if ((which & cost_came(i)) == 0) continue;
    settled.replace(number, i + 1, digest_of(id, i + 1, outcome.costs[i]));
    if (usual && (came_of(*usual) & cost_came(i)) != 0) {
      rest.costs[i] = booked.costs[i] - usual->costs[i];
      booked.costs[i] = kMissing;
    }
  }
  if (came_of(booked) != 0) static_cast<void>(policy->learn({}, {}, booked, Part::kBill));
  if (came_of(rest) != 0) static_cast<void>(policy->learn({}, {}, rest, Part::kCorrection));
  Claim none;
  const auto claim = expired_claims.find(number);
  RunClaim no_run;
  const auto in_run = expired_run_claims.find(number);
  pay(claim == expired_claims.end() ? none : claim->second,
      in_run == expired_run_claims.end() ? no_run : in_run->second, outcome.costs);
  if (in_run != expired_run_claims.end() && in_run->second.provisional == 0) expired_run_claims.erase(in_run);
  if (claim != expired_claims.end() && claim->second.provisional == 0) expired_claims.erase(claim);
}

Result<> Engine::Heart::cancel(std::uint64_t id) {
  change = Change::kNothing;
  const std::int32_t slot = open.find(id);
  if (slot < 0) {
    const std::uint64_t number = cipher.number_of(id);
    const auto entry = given(number) ? settled.find(number) : std::nullopt;
    if (entry && entry->digests[0] == kCancelledDigest) return {};
    if (entry && std::ranges::any_of(entry->digests, [](auto d) { return d != kExpiredDigest; })) {
      return already(id, ", so it cannot be given up");
    }
    return not_open(id);
  }
  if (open[slot].came != 0) {
    return Error{
        fmt::format("decision {:016x}: part of its outcome came, so it cannot be given up", id),
        Reason::kConflict, "id"};
  }
  for (int i = 0; !budgets.empty() && i < billed.size(); ++i) budgets.give_up(open.claim(slot), i);
  for (int i = 0; open[slot].run_claim.run != 0 && i < billed.size(); ++i) {
    runs.give_up(open.run_claim(slot), i);
  }
  cancelled += 1;
  close(slot, kCancelledDigest);
  last_cancelled = {.id = id};
  change = Change::kCancelled;
  return {};
}

void Engine::Heart::close(std::int32_t slot, std::uint64_t missing_digest) {
  const Open::Slot& closed = open[slot];
  reserve(closed.record, all_parts() & ~closed.came, -1);
  partly -= closed.came != 0 ? 1 : 0;
  settle(slot, digests_of(closed.record.id, closed.outcome, closed.came, missing_digest));
}

Digests Engine::Heart::digests_of(std::uint64_t id, const Outcome& outcome, Came came,
                                  std::uint64_t missing_digest) const {
  Digests digests;
  for (int part = 0; part <= billed.size(); ++part) {
    digests[as_size(part)] = missing_digest;
    if ((came >> part & 1U) == 0) continue;
    const double value = part == 0 ? outcome.reward : outcome.costs[part - 1];
    digests[as_size(part)] = digest_of(id, part, value);
  }
  return digests;
}

void Engine::Heart::settle(std::int32_t slot, const Digests& digests) {
  const auto forgotten = settled.push(open[slot].number, digests);
  if (forgotten && !expired_claims.empty()) expired_claims.erase(*forgotten);
  if (forgotten && !expired_run_claims.empty()) expired_run_claims.erase(*forgotten);
  open.remove(slot);
}

void Engine::Heart::learn_expiring(std::int32_t slot, std::int64_t count) {
  if (!config.options.default_outcome || count == 0) return;
  const bool may_throw =
      uses_own(config.policy, OwnKind::kOracle) || uses_own(config.policy, OwnKind::kPolicy);
  const std::string before = may_throw ? policy->save() : std::string();
  const std::int64_t rewarded_before = rewarded;
  try {
    for (std::int64_t n = 0; n < count; ++n, slot = open[slot].newer) {
      const DecideRecord& decided = open[slot].record;
      const Outcome& usual = *config.options.default_outcome;
      const Came which = came_of(usual) & ~open[slot].came;
      if (which == 0) continue;
      rewarded += (which & kRewardCame) != 0 ? 1 : 0;
      // A policy refuses only a decision that it cannot have made, from a forged record. The fold
      // then continues, and the decision is not learned.
      static_cast<void>(policy->learn(in_places(decided.round.view(), seats), decided.decision,
                                      only(usual, which, billed.size()),
                                      open[slot].came == 0 ? Part::kFirst : Part::kLater));
    }
  } catch (...) {
    if (may_throw) policy->load(before).check();
    rewarded = rewarded_before;
    throw;
  }
}

void Engine::Heart::expire(std::int32_t slot) {
  if (!budgets.empty()) {
    Claim& claim = open.claim(slot);
    if (notes_keys) used_keys.push_back(claim.keys);
    bool waits = false;
    for (int i = 0; i < billed.size(); ++i) {
      if ((open[slot].came & cost_came(i)) != 0) continue;
      budgets.expire(claim, i);
      waits = true;
    }
    if (waits && config.options.remember > 0) expired_claims[open[slot].number] = claim;
  }
  if (open[slot].run_claim.run != 0) {
    RunClaim& claim = open.run_claim(slot);
    for (int i = 0; i < billed.size(); ++i) runs.expire(claim, i);
    if (claim.provisional != 0 && config.options.remember > 0) {
      expired_run_claims[open[slot].number] = claim;
    }
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
  // Until the first tick, or a decision at tick 0, the time is unknown.
  const bool first = rules >= 2 && now == 0 && decided_count == 0;
  std::int64_t count = 0;
  for (std::int32_t slot = open.oldest(); config.options.expire_after > 0 && slot >= 0 &&
                                          to - open[slot].record.at > config.options.expire_after;
       slot = open[slot].newer) {
    ++count;
  }
  learn_expiring(open.oldest(), count);
  for (std::int64_t n = 0; n < count; ++n) expire(open.oldest());
  now = to;
  runs.tick(now);
  for (const TickRecord::Opened& opened : ticked.opened) {
    budgets.open_window(opened.budget, opened.window);
  }
  if (!budgets.empty() && first) {
    budgets.begin(now);
  } else if (!budgets.empty()) {
    budgets.advance(static_cast<std::int64_t>(decided_count), now);
  }
  last_tick = ticked;
  change = Change::kTicked;
  return count;
}

}  // namespace rein
