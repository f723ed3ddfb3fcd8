// A warm start: rounds that somebody else decided are learned.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "engine/heart.h"

namespace rein {
namespace {

// The last rounds of a log that the price is rehearsed on, and how far they may be apart.
constexpr std::size_t kRehearsed = 512;
constexpr std::size_t kMostStride = 4;

Error in_round(const Error& error, std::int64_t i) {
  return error.in(fmt::format("warm start: round {}: ", i));
}

std::int64_t numbers_of(const Round& round) {
  return static_cast<std::int64_t>(round.context.size() + round.features.size() +
                                   2 * round.sparse.value.size() + round.sparse.begin.size() +
                                   round.ids.size() + round.expected_costs.size());
}

// The outcome as the policy may learn it: no cost above its range.
Outcome clipped_of(const Shape& shape, const Outcome& outcome) {
  Outcome inside = outcome;
  const int m = std::min(inside.costs.size(), static_cast<int>(shape.costs.size()));
  for (int i = 0; i < m; ++i) {
    const double highest = shape.costs[as_size(i)].range.high;
    if (inside.costs[i] > highest && std::isfinite(inside.costs[i])) inside.costs[i] = highest;
  }
  return inside;
}

}  // namespace

Result<> Engine::Heart::check_logged(std::span<const LoggedRound> rounds,
                                     std::int64_t number) const {
  if (static_cast<std::int64_t>(rounds.size()) > kMaxWarmRounds) {
    return Error{fmt::format("warm start: found {} rounds; accepted: at most {} per call",
                             rounds.size(), kMaxWarmRounds)};
  }
  const Shape& shape = policy->shape();
  std::vector<std::int32_t> places;
  std::int64_t numbers = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const std::int64_t place = number + static_cast<std::int64_t>(i);
    const LoggedRound& logged = rounds[i];
    if (auto ok = roster.check_places(logged.round); !ok) return in_round(ok.failure(), place);
    if (auto fits = validate(shape, in_places(logged.round, places)); !fits) {
      return in_round(fits.failure(), place);
    }
    if (logged.action < 0 || logged.action >= logged.round.actions) {
      return in_round(Error{fmt::format("found action {}; accepted: 0 to {}", logged.action,
                                        logged.round.actions - 1)},
                      place);
    }
    if (auto fits = validate_parts(shape, clipped_of(shape, logged.outcome)); !fits) {
      return in_round(fits.failure(), place);
    }
    numbers += numbers_of(logged.round);
  }
  if (numbers <= kMaxWarmNumbers) return {};
  return Error{
      fmt::format("warm start: found {} numbers in {} rounds; accepted: at most {} per call",
                  numbers, rounds.size(), kMaxWarmNumbers)};
}

// Expected costs and paces are the present ones, as in a decision. First all rounds are learned.
// Then the price rehearses on the last rounds, with all that was learned.
Result<> Engine::Heart::learn_logged(std::span<const LoggedRound> rounds, std::int64_t number) {
  rein::Decision given;
  if (policy->shape().paced && budgets.needs_window(now) < 0) {
    Paces paces;
    budgets.paces({}, reserved_costs(), paces);
    given.paces = Costs(std::span<const double>(paces.pace.data(), units.size()));
  }
  std::vector<double> rows;
  const auto learn_one = [&](std::size_t i, const Outcome& outcome) -> Result<> {
    Round round = rounds[i].round;
    round.baseline = {};  // of a decision; here nobody decides
    if (!expected.empty() && round.expected_costs.empty()) {
      fill_expected(round, rows);
      round.expected_costs = rows;
    }
    given.action = rounds[i].action;
    auto done = policy->learn(in_places(round, seats), given, outcome, Part::kWarm);
    if (!done) return in_round(done.failure(), number + static_cast<std::int64_t>(i));
    return {};
  };
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const Outcome inside = clipped_of(policy->shape(), rounds[i].outcome);
    if (auto done = learn_one(i, inside); !done) return done;
  }
  const std::size_t stride = std::clamp<std::size_t>(rounds.size() / kRehearsed, 1, kMostStride);
  const std::size_t count = std::min(kRehearsed, rounds.size() / stride);
  for (std::size_t i = count; i > 0; --i) {
    if (auto done = learn_one(rounds.size() - 1 - (i - 1) * stride, {}); !done) return done;
  }
  return {};
}

Result<std::int64_t> Engine::Heart::warm_start(std::span<const LoggedRound> rounds,
                                               std::int64_t number) {
  change = Change::kNothing;
  if (auto fits = check_logged(rounds, number); !fits) return fits.failure();
  if (rounds.empty()) return 0;
  last_warm.rows.resize(rounds.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    WarmRecord::Row& row = last_warm.rows[i];
    row.round.copy(rounds[i].round);
    row.round.baseline.clear();
    row.action = rounds[i].action;
    row.outcome = rounds[i].outcome;
  }
  // A single refused round changes nothing. In a list, the rounds before the refused one were
  // learned, so the policy is restored.
  const std::string before = rounds.size() > 1 ? policy->save() : std::string();
  try {
    if (auto done = learn_logged(rounds, number); !done) {
      if (!before.empty()) policy->load(before).check();
      return done.failure();
    }
  } catch (...) {
    if (!before.empty()) policy->load(before).check();
    throw;
  }
  change = Change::kWarmed;
  return static_cast<std::int64_t>(rounds.size());
}

Result<> Engine::Heart::fold(const WarmRecord& record) {
  std::vector<LoggedRound> rounds;
  rounds.reserve(record.rows.size());
  for (const WarmRecord::Row& row : record.rows) {
    rounds.push_back({row.round.view(), row.action, row.outcome});
  }
  auto done = warm_start(rounds, 0);
  return done ? Result<>() : done.failure();
}

}  // namespace rein
