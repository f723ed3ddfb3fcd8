// Snapshots: the complete state of an engine in one canonical form, and its hash.
//
//     tag, version, config, rules, clock and counts, gaps of ids, what was billed, the budgets, the
//     actions that were added or removed, the schema's statistics, the costs seen where bounds are
//     learned, the policy's bytes, open decisions in the order in which they were made with the parts that came,
//     settled ones oldest first with a digest per part, the claims of expired ones, the expected
//     costs if there are some, the runs of agents if there ever was one, the state hash, the history; then 8 bytes of hash over all of it
//
// The version is kStateVersion (rein/state_version.h). Older ones are read too, and every part asks
// its reader which one it reads. The hash has the form that belongs to the rules of the state.
//
// Derived state (holds, reservations, tables) is not written but computed again, so it cannot
// disagree.
#include <fmt/format.h>

#include "base/allowance.h"
#include "base/came.h"
#include "base/own.h"
#include "base/size.h"
#include "engine/encoding.h"
#include "engine/encoding_parts.h"
#include "engine/hash.h"
#include "engine/heart.h"
#include "engine/saved_claims.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::string_view kTag = "rein engine";
constexpr std::int64_t kExpects = 1, kHasRuns = 2;  // what a state has besides

// Bytes that cannot be read are corrupt, unless the reason is known better.
Error corrupt(const Error& error) {
  const Reason reason = error.reason == Reason::kInvalid ? Reason::kCorrupt : error.reason;
  return {error.message, reason};
}

// The bytes have their hash, so they are as they were written: by a program that made another policy
// of this spec.
Error not_known(const Error& error) {
  return {fmt::format("this program cannot make the policy as it was: {}; accepted: the program that "
                      "made it, or `rein migrate`, which learns its decisions again by another policy",
                      error.message),
          Reason::kMeaning};
}

// A reader of the bytes after the version. The version is read before the hash of the bytes is
// checked, because another version may be hashed in another way.
Result<ByteReader> opened(std::string_view snapshot) {
  ByteReader head(snapshot);
  head.tag(kTag);
  const bool tagged = head.ok() && head.left() >= sizeof(std::uint64_t);
  head.read_version("snapshot", kOldestStateVersion, kStateVersion);
  if (tagged && !head.ok()) return corrupt(head.status().failure());
  auto body = unseal(snapshot, "snapshot");
  if (!body) return body.failure();
  if (!head.ok()) return corrupt(head.status().failure().in("snapshot: "));
  ByteReader in(body.value().substr(snapshot.size() - head.left()), head.version());
  return in;
}

}  // namespace

void Engine::Heart::write_state(ByteWriter& out) const { write_state(out, policy->save()); }

void Engine::Heart::write_state(ByteWriter& out, std::string_view policy_bytes) const {
  if (out.version() >= 7) out.i64(rules);
  out.i64(now);
  out.u64(decided_count);
  out.u64(draws);
  for (std::int64_t count : {learned, expired, cancelled, late, clipped}) out.i64(count);
  if (out.version() >= 8) out.i64(gave_way);
  if (out.version() >= 8) out.i64(rewarded);
  if (out.version() >= 8) gaps.save(out);
  out.f64s(billed.span());
  budgets.save(out);
  roster.save(out);
  if (schema) schema->save(out);
  if (!seen.empty()) seen.save(out);
  if (!bills.empty()) bills.save(out);
  out.text(policy_bytes);
  out.i64(open.size());
  std::string record;
  for (std::int32_t slot = open.oldest(); slot >= 0; slot = open[slot].newer) {
    encode(open[slot].record, record);
    out.text(record);
    if (!budgets.empty()) write_windows(out, open[slot].claim);
    const Open::Slot& held = open[slot];
    out.u64(held.came);
    if ((held.came & kRewardCame) != 0) out.f64(held.outcome.reward);
    for (int i = 0; i < billed.size(); ++i) {
      if ((held.came & cost_came(i)) != 0) out.f64(held.outcome.costs[i]);
    }
  }
  out.i64(settled.size());
  for (std::int64_t i = 0; i < settled.size(); ++i) {
    out.u64(settled[i].number);
    for (std::uint64_t digest : settled[i].digests) out.u64(digest);
  }
  out.u64(expired_claims.size());
  for (const auto& [number, claim] : expired_claims) {
    out.u64(number);
    write_claim(out, claim, budgets.any_learned());
  }
  out.i64((expected.empty() ? 0 : kExpects) | (runs.any() ? kHasRuns : 0));
  out.f64s(expected);
  if (runs.any()) write_runs(out);
}

std::uint64_t Engine::Heart::hash() const {
  ByteWriter state(hashed_version(rules));
  write_state(state);
  Hash all;
  all.add(encode(config, state.version()));
  all.add(state.bytes());
  return all.value();
}

std::string Engine::Heart::snapshot() const {
  ByteWriter out(kStateVersion);
  out.tag(kTag);
  out.i64(kStateVersion);
  out.text(encode(config, kStateVersion));
  write_state(out);
  out.u64(hash());
  history.save(out);
  return seal(out);
}

Result<> Engine::Heart::read_open(ByteReader& in) {
  const std::int64_t count = in.i64();
  if (count < 0 || count > kMaxOpen) {
    return Error{fmt::format("{} open decisions", count)};
  }
  std::uint64_t previous = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::string record = in.text();
    if (auto ok = in.status(); !ok) return ok;
    DecideRecord& draft = open.draft();
    if (auto ok = decode(record, draft); !ok) return ok;
    const std::uint64_t number = cipher.number_of(draft.id);
    if (!given(number) || (n > 0 && number <= previous) || draft.at > now) {
      return Error{fmt::format("decision {} at {} is out of order", number, draft.at)};
    }
    previous = number;
    if (auto ok = check_record(draft); !ok) return ok;
    open_up(number);
    if (!budgets.empty()) {
      Claim& claim = open.claim(open.newest());
      claim = {.keys = draft.keys};
      find_holds(draft, claim.holds);
      read_windows(in, claim);
      if (auto ok = budgets.restore_hold(claim); !ok) return ok;
    }
    if (auto ok = read_parts(in, open.newest()); !ok) return ok;
    const DecideRecord& opened = open[open.newest()].record;
    open.run_claim(open.newest()) = opened.run != 0 ? run_claim_of(opened) : RunClaim{};
    if (hard_costs != 0 && holds_no_money(open[open.newest()])) open.let_give_way(open.newest());
  }
  return {};
}

// The parts that came of an open decision: some, not all, and their bills are paid.
Result<> Engine::Heart::read_parts(ByteReader& in, std::int32_t slot) {
  const auto parts = static_cast<Came>(in.between("parts that came", 0, all_parts() - 1));
  if (parts == 0) return in.status();
  Outcome outcome{.costs = Costs(billed.size(), kMissing)};
  if ((parts & kRewardCame) != 0) outcome.reward = in.f64();
  for (int i = 0; i < billed.size(); ++i) {
    if ((parts & cost_came(i)) != 0) outcome.costs[i] = in.f64();
  }
  if (auto ok = in.status(); !ok) return ok;
  const bool paid = budgets.empty() || (open[slot].claim.waiting & (parts >> 1)) == 0;
  if (!paid || came_of(outcome) != parts) return Error{"a part of an outcome is impossible"};
  take_parts(slot, parts, outcome);
  return {};
}

Result<> Engine::Heart::read_settled(ByteReader& in) {
  const std::int64_t count = in.i64();
  const std::int64_t all = learned + expired + cancelled;
  if (count < 0 || count > config.options.remember || count > all) {
    return Error{fmt::format("{} settled decisions remembered of {}", count, all)};
  }
  for (std::int64_t n = 0; n < count; ++n) {
    const std::uint64_t number = in.u64();
    Digests digests{};
    for (int part = 0; part <= billed.size(); ++part) digests[as_size(part)] = in.u64();
    if (auto ok = in.status(); !ok) return ok;
    if (settled.find(number) || !given(number) || open.find(cipher.id_of(number)) >= 0) {
      return Error{fmt::format("settled decision {} is impossible", number)};
    }
    settled.push(number, digests);
  }
  return {};
}

Result<> Engine::Heart::read_expired_claims(ByteReader& in) {
  const std::int64_t count = in.between("number of late bills", 0, settled.size());
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    const std::uint64_t number = in.u64();
    const Claim claim = read_claim(in, budgets.any_learned());
    const auto entry = settled.find(number);
    bool expired_bill = entry && claim.waiting == 0 && claim.provisional != 0;
    for (int i = 0; expired_bill && i < billed.size(); ++i) {
      const bool late_bill = (claim.provisional >> i & 1U) != 0;
      expired_bill = !late_bill || entry->digests[as_size(i + 1)] == kExpiredDigest;
    }
    if (!expired_bill) {
      return Error{fmt::format("a late bill of decision {}, which did not expire", number)};
    }
    expired_claims[number] = claim;
  }
  return in.status();
}

Result<> Engine::Heart::read_state(ByteReader& in) {
  if (auto ok = read_books(in); !ok) return ok;
  const std::uint64_t saved = in.u64();
  history.load(in);
  if (auto ok = in.finish(); !ok) return ok;
  if (saved != hash()) return Error{"the state hash differs from the saved one"};
  return {};
}

Result<> Engine::Heart::read_books(ByteReader& in) {
  rules = kOldestRules;
  if (in.version() >= 7) {
    const std::int64_t found = in.i64();
    if (found < kOldestRules || found > kRules) {
      return Error{fmt::format("found rules {}; accepted: {} to {}", found, kOldestRules, kRules)};
    }
    rules = static_cast<int>(found);
  }
  budgets.leave_by_use(rules < 2);
  now = in.i64();
  decided_count = static_cast<std::uint64_t>(in.count());
  draws = in.u64();
  for (std::int64_t* count : {&learned, &expired, &cancelled, &late, &clipped}) {
    *count = in.count();
  }
  if (in.version() >= 8) gave_way = in.between("decisions that gave way", 0, expired);
  rewarded = in.version() >= 8 ? in.count() : learned;
  if (in.version() >= 8) gaps.load(in, decided_count);
  in.f64s(billed);
  if (auto ok = budgets.load(in); !ok) return ok;
  roster.load(in, billed.size(), next_number());
  if (auto ok = in.status(); !ok) return ok;
  if (roster.added() > 0) {
    auto larger = make_larger(0);
    if (!larger) return larger.failure();
    policy = std::move(larger).value();
    scratch = Scratch(*policy);
    for (int n = 0; n < roster.added(); ++n) {
      seen.grow();
      if (!bills.empty()) bills.grow();
      largest.add(roster.seat(roster.first() + n).largest);
    }
    for (int id = roster.first(); id < roster.ids(); ++id) history.grow();
  }
  if (schema) {
    if (auto ok = schema->load(in); !ok) return ok;
  }
  if (!seen.empty()) {
    if (auto ok = seen.load(in); !ok) return ok;
  }
  if (!bills.empty()) {
    if (auto ok = bills.load(in); !ok) return ok;
  }
  const std::string policy_bytes = in.text();
  if (auto ok = in.status(); !ok) return ok;
  if (now < 0 || now > kMaxClock) return Error{fmt::format("a clock of {}", now)};
  if (auto ok = policy->load(policy_bytes); !ok) {
    return own_uses(config.policy, OwnKind::kPolicy).empty() ? not_known(ok.failure())
                                                             : ok.failure();
  }
  if (auto ok = read_open(in); !ok) return ok;
  budgets.tidy();
  if (decided_count != static_cast<std::uint64_t>(open.size() + learned + expired + cancelled)) {
    return Error{fmt::format("{} decisions, but {} open, {} learned, {} expired, {} given up",
                             decided_count, open.size(), learned, expired, cancelled)};
  }
  if (auto ok = read_settled(in); !ok) return ok;
  if (auto ok = read_expired_claims(in); !ok) return ok;
  const std::int64_t more = in.between("whether costs are expected, and runs", 0, kExpects | kHasRuns);
  if ((more & kExpects) != 0) {
    std::vector<double> costs(as_size(policy->shape().actions) * units.size());
    in.f64s(costs);
    if (auto ok = in.status(); !ok) return ok;
    if (auto ok = expect(costs); !ok) return ok;
    change = Change::kNothing;
  }
  if ((more & kHasRuns) != 0) {
    if (auto ok = read_runs(in); !ok) return ok;
  }
  return in.status();
}

Result<Config> Engine::Heart::config_in(std::string_view snapshot) {
  auto in = opened(snapshot);
  if (!in) return in.failure();
  const std::string bytes = in.value().text();
  if (auto ok = in.value().status(); !ok) return corrupt(ok.failure().in("snapshot: "));
  auto config = decode_config(bytes, in.value().version());
  if (!config) return corrupt(config.failure().in("snapshot: "));
  return config;
}

// The policy keeps its saved meaning: the engine goes on as it was made.
Result<std::unique_ptr<Engine::Heart>> Engine::Heart::revive(Config config,
                                                             std::string_view snapshot) {
  auto in = opened(snapshot);
  if (!in) return in.failure();
  const std::string bytes = in.value().text();
  if (auto ok = in.value().status(); !ok) return corrupt(ok.failure().in("snapshot: "));
  auto saved = decode_config(bytes, in.value().version());
  if (!saved) return corrupt(saved.failure().in("snapshot: "));
  if (in.value().version() >= 7) {
    config.meaning = saved.value().meaning;
    config.resolved = saved.value().resolved;
    config.paced = saved.value().paced;
  }
  if (bytes != encode(config, in.value().version())) {
    return Error{"snapshot: from an engine with a different spec, shape, seed or options"};
  }
  // All learned state is in these bytes, so no more memory than this is needed, whatever the config
  // says.
  const Allowance allowance(snapshot.size() / sizeof(double));
  const bool ours = own_uses(config.policy, OwnKind::kPolicy).empty();  // no piece can be missing
  auto made = make(std::move(config));
  const bool unknown =
      !made && (made.reason() == Reason::kInvalid || made.reason() == Reason::kMeaning);
  if (unknown && ours) {
    return not_known(made.failure()).in("snapshot: ");
  }
  if (!made) return made.failure().in("snapshot: ");
  if (auto ok = made.value()->read_state(in.value()); !ok) {
    return corrupt(ok.failure().in("snapshot: "));
  }
  return made;
}

// State of version 6 does not say which meaning its policy has: the newest of that time, or one
// before. The saved states of different meanings have different tags, so only the right policy
// accepts the bytes.
Result<std::unique_ptr<Engine::Heart>> Engine::Heart::restore(std::string_view snapshot,
                                                              const Own& own, bool blind) {
  constexpr int kMeaningOfVersion6 = 1;
  auto config = config_in(snapshot);
  if (!config) return config.failure();
  config.value().own = own;
  config.value().blind = blind;
  const bool says = opened(snapshot).value().version() >= 7;
  if (!says) config.value().meaning = kMeaningOfVersion6;
  auto made = revive(config.value(), snapshot);
  if (made || says || made.reason() != Reason::kMeaning) return made;
  for (int meaning = kMeaningOfVersion6 - 1; meaning >= kOldestMeaning; --meaning) {
    config.value().meaning = meaning;
    if (auto older = revive(config.value(), snapshot); older) return older;
  }
  return made;
}

}  // namespace rein
