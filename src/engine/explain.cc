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

}  // namespace

Result<std::vector<Explanation>> explain(const Engine& engine, const DecideRecord& record,
                                         const ExplainOptions& options) {
  const Round round = record.round.view();
  std::vector<std::int32_t> known_as;
  const Round known = engine.in_places(round, known_as);
  const int chosen = record.decision.action;
  std::vector<int> places;
  for (int a = 0; a < round.actions && options.all; ++a) places.push_back(a);
  for (std::int32_t id : options.action_ids) {
    const auto place = place_of(round, id);
    if (!place) return place.failure();
    places.push_back(place.value());
  }
  if (places.empty()) places.push_back(chosen);
  std::vector<Explanation> found;
  for (int place : places) {
    found.push_back({.action = place, .action_id = round.id(place), .chosen = place == chosen});
  }
  if (auto done = explain_by(engine.policy(), known, record.decision, found); !done) {
    return done.failure();
  }
  return found;
}

Result<std::vector<Explanation>> explain(const Engine& engine, std::uint64_t id,
                                         const ExplainOptions& options) {
  auto record = engine.open_record(id);
  if (!record) {
    return record.failure().in(
        "explain: accepted: a round, or an open decision, whose round is still known; ");
  }
  return explain(engine, *record.value(), options);
}

Result<std::vector<Explanation>> explain(const Engine& engine, const Round& round,
                                         const ExplainOptions& options,
                                         const DecideOptions& decide) {
  Scratch scratch;
  DecideRecord record;
  if (auto done = engine.choose(round, scratch, record, decide); !done) return done.failure();
  return explain(engine, record, options);
}

}  // namespace rein
