// Logged rounds as arrays (rein/batch.h).
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/came.h"
#include "base/size.h"
#include "rein/batch.h"

namespace rein {
namespace {

// The rounds of a batch, one by one.
class Checked {
 public:
  Checked(const Shape& shape, const LoggedBatch& log)
      : log_(log),
        shape_(shape),
        k_(as_size(log.rounds.actions)),
        context_(as_size(shape.context)),
        features_(as_size(shape.features)),
        costs_(shape.costs.size()) {}

  Result<> check_sizes() const {
    const RoundBatch& rounds = log_.rounds;
    if (rounds.rounds < 0 || rounds.actions < 1 || rounds.actions > shape_.actions) {
      return Error{
          fmt::format("warm start: found {} rounds of {} actions; accepted: any number, of "
                      "1 to {} actions",
                      rounds.rounds, rounds.actions, shape_.actions)};
    }
    const struct {
      const char* name;
      std::size_t found, each;
      bool may_be_empty;
    } arrays[] = {{"contexts", rounds.contexts.size(), context_, false},
                  {"features", rounds.features.size(), k_ * features_, false},
                  {"ids", rounds.ids.size(), k_, true},
                  {"actions", log_.actions.size(), 1, false},
                  {"rewards", log_.rewards.size(), 1, true},
                  {"costs", log_.costs.size(), costs_, true}};
    for (const auto& array : arrays) {
      if (array.found == 0 && array.may_be_empty) continue;
      if (array.found == as_size(rounds.rounds) * array.each) continue;
      return Error{fmt::format("warm start: {} has {} entries; accepted: {} for each of {} rounds",
                               array.name, array.found, array.each, rounds.rounds)};
    }
    return {};
  }

  // The place of the action is -1 if the round does not offer it.
  LoggedRound at(std::int64_t i) const {
    const auto n = as_size(i);
    LoggedRound logged;
    Round& round = logged.round;
    round.actions = log_.rounds.actions;
    round.context = log_.rounds.contexts.subspan(n * context_, context_);
    if (!log_.rounds.ids.empty()) {
      round.ids = log_.rounds.ids.subspan(n * k_, k_);
      while (round.actions > 0 && round.ids[as_size(round.actions - 1)] == -1) round.actions -= 1;
      round.ids = round.ids.first(as_size(round.actions));
    }
    round.features =
        log_.rounds.features.subspan(n * k_ * features_, as_size(round.actions) * features_);
    logged.action = -1;
    for (int a = 0; a < round.actions; ++a) {
      if (round.id(a) == log_.actions[n]) logged.action = a;
    }
    if (!log_.rewards.empty()) logged.outcome.reward = log_.rewards[n];
    if (!log_.costs.empty()) logged.outcome.costs = Costs(log_.costs.subspan(n * costs_, costs_));
    return logged;
  }

  Result<> check_action(std::int64_t i) const {
    if (at(i).action >= 0) return {};
    return Error{
        fmt::format("round {}: it was given action {}, which it does not offer; accepted: "
                    "the id of an action that was offered",
                    i, log_.actions[as_size(i)])};
  }

  std::int64_t numbers() const {
    return static_cast<std::int64_t>(context_ + k_ * (features_ + 1)) + shape_.heads();
  }

 private:
  const LoggedBatch& log_;
  const Shape& shape_;
  std::size_t k_, context_, features_, costs_;
};

}  // namespace

Result<> check_logged(const Engine& engine, const LoggedBatch& log) {
  const Shape& shape = engine.policy().shape();
  const Checked rows(shape, log);
  if (auto fits = rows.check_sizes(); !fits) return fits;
  for (std::int64_t i = 0; i < log.rounds.rounds; ++i) {
    if (auto fits = rows.check_action(i); !fits) return fits.failure().in("warm start: ");
    const LoggedRound logged = rows.at(i);
    if (came_of(logged.outcome) == 0) continue;
    if (auto fits = engine.check_logged({&logged, 1}, i); !fits) return fits;
  }
  return {};
}

Result<std::int64_t> warm_start(Engine& engine, const LoggedBatch& log, std::int64_t first,
                                std::int64_t rounds_most) {
  const Checked rows(engine.policy().shape(), log);
  if (auto fits = rows.check_sizes(); !fits) return fits.failure();
  const std::int64_t fitting =
      std::clamp<std::int64_t>(kMaxWarmNumbers / rows.numbers(), 1, kMaxWarmRounds);
  const std::int64_t end =
      std::min(log.rounds.rounds, first + std::max<std::int64_t>(rounds_most, 0));
  std::vector<LoggedRound> rounds;
  std::int64_t learned = 0;
  std::int64_t at = std::max<std::int64_t>(first, 0);
  while (at < end) {
    const std::int64_t begin = at;
    rounds.clear();
    for (; at < std::min(end, begin + fitting); ++at) {
      if (auto fits = rows.check_action(at); !fits) return fits.failure().in("warm start: ");
      const LoggedRound logged = rows.at(at);
      if (came_of(logged.outcome) != 0) rounds.push_back(logged);
    }
    learned += static_cast<std::int64_t>(rounds.size());
    if (auto done = engine.warm_start(rounds, begin); !done) return done.failure();
  }
  return learned;
}

}  // namespace rein
