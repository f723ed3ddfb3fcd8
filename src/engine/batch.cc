#include "rein/batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/math.h"
#include "base/size.h"
#include "base/within.h"

namespace rein {
namespace {

// The part of an array that belongs to one round, with `count` entries per round. Empty stays
// empty.
template <class T>
std::span<T> part(std::span<T> all, std::int64_t round, std::size_t count) {
  if (all.empty()) return {};
  return all.subspan(as_size(round) * count, count);
}

Result<> check_size(const char* what, std::size_t found, std::int64_t rounds, std::size_t each,
                    bool may_be_empty) {
  if ((found == 0 && may_be_empty) || found == as_size(rounds) * each) return {};
  return Error{fmt::format("batch: {} has {} entries; accepted: {} for each of {} rounds", what,
                           found, each, rounds)};
}

struct Sizes {
  std::size_t actions, context, features, costs, heads;
};

Result<> check_sizes(const RoundBatch& rounds, const DecisionBatch& out, const Sizes& size) {
  const std::int64_t n = rounds.rounds;
  const Result<> checks[] = {
      check_size("contexts", rounds.contexts.size(), n, rounds.columns.empty() ? size.context : 0,
                 false),
      check_size("features", rounds.features.size(), n, size.actions * size.features, false),
      check_size("ids", rounds.ids.size(), n, size.actions, true),
      check_size("the array of decision ids", out.ids.size(), n, 1, true),
      check_size("the array of actions", out.actions.size(), n, 1, true),
      check_size("the array of probability", out.probability.size(), n, 1, true),
      check_size("the array of probabilities", out.probabilities.size(), n, size.actions, true),
      check_size("the array of prices", out.prices.size(), n, size.costs, true),
      check_size("the array of estimates", out.estimates.size(), n, size.heads * size.actions,
                 true),
      check_size("the array of holdouts", out.holdout.size(), n, 1, true),
      check_size("the array of places", out.places.size(), n, 1, true),
  };
  for (const Result<>& checked : checks) {
    if (!checked) return checked;
  }
  return {};
}

// The rows of a batch, one at a time.
class Rows {
 public:
  explicit Rows(const RoundBatch& rounds)
      : columns_(rounds.columns), cells_(rounds.columns.size()) {}
  std::span<const Cell> at(std::int64_t row) {
    for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c] = columns_[c].at(as_size(row));
    return cells_;
  }

 private:
  std::span<const ColumnValues> columns_;
  std::vector<Cell> cells_;
};

Result<> check_rows(const Engine& engine, const RoundBatch& rounds) {
  if (rounds.columns.empty()) return {};
  if (engine.schema() == nullptr || engine.schema()->columns().size() != rounds.columns.size()) {
    return Error{fmt::format("batch: found {} columns; accepted: those of the schema",
                             rounds.columns.size())};
  }
  for (const ColumnValues& column : rounds.columns) {
    if (auto fits = check_size("a column", column.size(), rounds.rounds, 1, false); !fits)
      return fits;
  }
  Rows rows(rounds);
  for (std::int64_t i = 0; i < rounds.rounds; ++i) {
    if (auto fits = engine.schema()->check(rows.at(i)); !fits) {
      return fits.failure().in(fmt::format("batch: round {}: ", i));
    }
  }
  return {};
}

Round round_of(const RoundBatch& rounds, std::int64_t i, const Sizes& size) {
  return {.actions = rounds.actions,
          .context = part(rounds.contexts, i, size.context),
          .features = part(rounds.features, i, size.actions * size.features),
          .ids = part(rounds.ids, i, size.actions)};
}

// Checks all numbers at once. Checks round by round only to name the bad round, or if there are
// ids.
Result<> check_rounds(const Engine& engine, const RoundBatch& rounds, const Sizes& size) {
  const Shape& shape = engine.policy().shape();
  const bool any_removed = engine.offered().size() < as_size(engine.ids());
  std::vector<std::int32_t> places;
  if (rounds.ids.empty() && !any_removed && all_within(rounds.contexts, kMaxNumber) &&
      all_within(rounds.features, kMaxNumber)) {
    return {};
  }
  const std::vector<double> any(rounds.columns.empty() ? 0 : size.context);
  for (std::int64_t i = 0; i < rounds.rounds; ++i) {
    Round round = round_of(rounds, i, size);
    if (!rounds.columns.empty()) round.context = any;  // rows are checked apart
    if (auto offers = engine.check_offered(round); !offers) {
      return offers.failure().in(fmt::format("batch: round {}: ", i));
    }
    if (auto fits = validate(shape, engine.in_places(round, places)); !fits) {
      return fits.failure().in(fmt::format("batch: round {}: ", i));
    }
  }
  return {};
}

// Writes a made into the entries of round i. Fields that the made does not have keep their fill
// value.
void write(const Engine::Decision& made, std::int64_t i, const Sizes& size,
           const DecisionBatch& out) {
  const auto at = as_size(i);
  if (!out.ids.empty()) out.ids[at] = made.id;
  if (!out.actions.empty()) out.actions[at] = made.action;
  if (!out.places.empty()) out.places[at] = made.place;
  if (!out.probability.empty()) out.probability[at] = made.probability;
  if (!out.holdout.empty()) {
    const bool has = made.holdout == Holdout::kInside || made.holdout == Holdout::kOutside;
    out.holdout[at] = static_cast<std::int8_t>(has ? made.holdout == Holdout::kInside : -1);
  }
  if (const auto all = part(out.probabilities, i, size.actions); !all.empty()) {
    double* to = all.data();
    for (double chance : made.probabilities) *to++ = chance;
  }
  if (const auto all = part(out.prices, i, size.costs); !all.empty()) {
    double* to = all.data();
    for (double price : made.prices) *to++ = price;
  }
  if (made.estimates == nullptr) return;
  if (const auto all = part(out.estimates, i, size.heads * size.actions); !all.empty()) {
    double* to = all.data();
    for (int h = 0; h < made.estimates->heads(); ++h) {
      for (double mean : made.estimates->mean(h)) *to++ = mean;
    }
  }
}

constexpr std::int64_t kAsked = 64;  // entries between two questions whether to go on

bool asks_now(const GoOn& go_on, std::int64_t done) {
  return go_on && done % kAsked == 0 && done > 0;
}

// Cancels the decisions that were made, unless the batch came to its end.
class Unfinished {
 public:
  Unfinished(Engine& engine, std::span<std::uint64_t> ids) : engine_(engine), ids_(ids) {}
  Unfinished(const Unfinished&) = delete;
  ~Unfinished() {
    for (std::int64_t i = 0; i < made_ && !ids_.empty(); ++i) {
      if (ids_[as_size(i)] != 0) (void)engine_.cancel(ids_[as_size(i)]);
      ids_[as_size(i)] = 0;
    }
  }
  void made(std::int64_t rounds) { made_ = rounds; }

 private:
  Engine& engine_;
  std::span<std::uint64_t> ids_;
  std::int64_t made_ = 0;
};

Result<std::int64_t> decide_all(Engine& engine, const RoundBatch& rounds, const Sizes& size,
                                const DecisionBatch& out, const GoOn& go_on) {
  Unfinished unfinished(engine, out.ids);
  std::int64_t decided = 0;
  Rows rows(rounds);
  for (std::int64_t i = 0; i < rounds.rounds; ++i) {
    if (asks_now(go_on, i) && !go_on(i)) {
      return Error{fmt::format("batch: stopped after {} of {} rounds; they are cancelled", i,
                               rounds.rounds)};
    }
    auto made = engine.decide(round_of(rounds, i, size), {.row = rows.at(i)});
    if (!made && made.reason() != Reason::kBudget) {
      return made.failure().in(fmt::format("batch: round {}: ", i));
    }
    write(made ? made.value() : Engine::Decision{}, i, size, out);
    decided += made ? 1 : 0;
    unfinished.made(i + 1);
  }
  unfinished.made(0);
  return decided;
}

}  // namespace

Result<std::int64_t> decide_many(Engine& engine, const RoundBatch& rounds, const DecisionBatch& out,
                                 const GoOn& go_on) {
  const Shape& shape = engine.policy().shape();
  if (rounds.rounds < 0 || rounds.actions < 1 || rounds.actions > shape.actions) {
    return Error{
        fmt::format("batch: found {} rounds of {} actions; accepted: any number, of 1 to "
                    "{} actions",
                    rounds.rounds, rounds.actions, shape.actions)};
  }
  const Sizes size{.actions = as_size(rounds.actions),
                   .context = as_size(shape.context),
                   .features = as_size(shape.features),
                   .costs = shape.costs.size(),
                   .heads = as_size(shape.heads())};
  if (auto fits = check_sizes(rounds, out, size); !fits) return fits.failure();
  // Open decisions that give way to the batch make room too, but no decision of the batch gives way
  // to another.
  const std::int64_t room = std::min(engine.options().most_open, engine.room());
  if (rounds.rounds > room) {
    return Error{
        fmt::format("batch: {} decisions, but only {} more may be open; accepted: at most that "
                    "many, a larger most_open (it is {}), or outcomes or expire_after for those that "
                    "are open",
                    rounds.rounds, room, engine.options().most_open),
        Reason::kFull};
  }
  if (auto fit = check_rows(engine, rounds); !fit) return fit.failure();
  if (auto fit = check_rounds(engine, rounds, size); !fit) return fit.failure();

  std::ranges::fill(out.probabilities, 0.0);
  std::ranges::fill(out.prices, 0.0);
  std::ranges::fill(out.estimates, kNan);
  return decide_all(engine, rounds, size, out, go_on);
}

Result<std::int64_t> learn_many(Engine& engine, std::span<const std::uint64_t> ids,
                                std::span<const double> rewards, std::span<const double> costs,
                                const GoOn& go_on) {
  const std::size_t m = engine.policy().shape().costs.size();
  const bool all_rewards = rewards.size() == ids.size(), all_costs = costs.size() == ids.size() * m;
  if (!(all_rewards || rewards.empty()) || !(all_costs || costs.empty())) {
    return Error{
        fmt::format("batch: {} ids, {} rewards and {} costs; accepted: a reward and {} "
                    "costs for every id, or none of either",
                    ids.size(), rewards.size(), costs.size(), m)};
  }
  std::int64_t applied = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (asks_now(go_on, static_cast<std::int64_t>(i)) && !go_on(static_cast<std::int64_t>(i))) {
      return Error{fmt::format("batch: stopped after {} of {} outcomes", i, ids.size())};
    }
    Outcome outcome;
    if (!rewards.empty()) outcome.reward = rewards[i];
    if (!costs.empty()) outcome.costs = Costs(costs.subspan(i * m, m));
    auto learned = engine.learn(ids[i], outcome);
    if (!learned) {
      return learned.failure().in(fmt::format("batch: outcome {} of {}: ", i, ids.size()));
    }
    applied += learned.value() == LearnResult::kApplied ? 1 : 0;
  }
  return applied;
}

}  // namespace rein
