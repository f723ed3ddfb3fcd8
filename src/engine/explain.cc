#include "rein/explain.h"

#include <fmt/format.h>

#include "policy/explains.h"

namespace rein {
namespace {

// The place of an action that the policy could choose.
Result<int> place_of(const Round& round, std::int32_t id) {
  for (int a = 0; a < round.actions; ++a) {
    if (round.id(a) == id) return a;
  }
  return Error{fmt::format("explain: action {} was not offered, or did not fit a hard budget", id)};
}

Result<std::vector<Explanation>> explain_record(const Policy& policy, const DecideRecord& record,
                                                std::span<const std::int32_t> action_ids) {
  const Round round = record.round.view();
  const std::int32_t chosen = round.id(record.decision.action);
  if (action_ids.empty()) action_ids = {&chosen, 1};
  std::vector<Explanation> found;
  for (std::int32_t id : action_ids) {
    const auto place = place_of(round, id);
    if (!place) return place.failure();
    Explanation one{.action = place.value(), .action_id = id, .chosen = id == chosen};
    if (auto done = explain_by(policy, round, record.decision, place.value(), one); !done) {
      return done.failure();
    }
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace

Result<std::vector<Explanation>> explain(const Engine& engine, std::uint64_t id,
                                         std::span<const std::int32_t> action_ids) {
  auto record = engine.open_record(id);
  if (!record) {
    return record.failure().in(
        "explain: accepted: a round, or an open decision, whose round is still known; ");
  }
  return explain_record(engine.policy(), *record.value(), action_ids);
}

Result<std::vector<Explanation>> explain(const Engine& engine, const Round& round,
                                         std::span<const std::int32_t> action_ids,
                                         const DecideOptions& options) {
  Scratch scratch;
  DecideRecord record;
  if (auto done = engine.choose(round, scratch, record, options); !done) return done.failure();
  return explain_record(engine.policy(), record, action_ids);
}

}  // namespace rein
