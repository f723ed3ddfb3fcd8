#include "policy/base.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/own.h"
#include "base/size.h"
#include "base/units.h"
#include "policy/common.h"
#include "policy/floor.h"

namespace rein {
namespace {

constexpr double kMostPace = 2.0;  // in units, in which no cost exceeds 1: without limit

}  // namespace

PolicyBase::PolicyBase(const Spec& spec, const Shape& shape, std::unique_ptr<Oracle> oracle,
                       const Rules& rules)
    : spec_(spec),
      shape_(shape),
      rules_(rules),
      units_(units_of(shape, counts_positive_part(rules.terms.setting))),
      oracle_(std::move(oracle)),
      own_oracle_(uses_own(spec, OwnKind::kOracle)),
      books_(rules.start) {
  books_.spent = sizes_ = Costs(costs());
  books_.noises = Costs(costs(), 1.0);
  if (rules_.rate.empty()) rules_.rate = books_.spent;
  if (rules_.terms.paced) books_.paced = books_.spent;
}

Result<> PolicyBase::decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                            Decision& decision) const {
  const std::span<const double> reserved = money.reserved;
  if (auto fits = validate(shape_, round); !fits) return fits;
  if (auto accepted = accepts(round); !accepted) return accepted;
  if (auto fits = check_reserved(shape_, units_, reserved); !fits) return fits;
  if (!round.baseline.empty() && !rules_.baseline) {
    return Error{
        "round: found a baseline, and the policy takes none; accepted: ccb(baseline=round)"};
  }

  decision.prepare(rules_.reward_only ? 1 : shape_.heads(), round.actions);
  scratch.reset(this->scratch());
  if (oracle_) oracle_->predict(round, scratch, decision.estimates);
  Books books = books_;
  books.reserved = Costs(reserved);
  for (int i = 0; i < books.reserved.size(); ++i) books.reserved[i] /= unit(i + 1);
  books.bounds = money.bounds;
  count_open(money, books);
  decision.learned = books_.rounds;
  decision.log_scale = 0.0;
  decision.paces = Costs();
  if (rules_.terms.paced) {
    if (auto fits = take_paces(money, books, decision); !fits) return fits;
  }
  const std::span<const double> said = choose(round, books, scratch, decision);
  decision.best = best_of(decision.scores());
  if (auto sound = check_sound(decision); !sound) return sound;

  if (rules_.shares.active()) {
    rules_.shares.draw(round, rng.uniform(), decision);
  } else {
    decision.action = draw(decision.probabilities(), rng.uniform());
  }
  decision.probability = decision.probabilities()[decision.action];
  const std::size_t m = said.empty() ? 0 : shape_.costs.size();
  decision.predicted = Costs(said.subspan(as_size(decision.action) * m, m));
  return {};
}

// Open decisions hold money, and each of them has a budget for its round.
void PolicyBase::count_open(const Money& money, Books& books) const {
  books.open = money.open;
  if (money.open == 0 || rules_.terms.paced) return;
  books.due = rules_.rate;
  for (double& due : books.due) due *= static_cast<double>(money.open);
}

Result<> PolicyBase::take_paces(const Money& money, Books& books, Decision& decision) const {
  const std::size_t m = shape_.costs.size();
  bool sound = (money.paces.empty() || money.paces.size() == m) &&
               (money.left.empty() || money.left.size() == m);
  books.paces = books.left = decision.paces = Costs(costs());
  for (int i = 0; i < costs() && sound; ++i) {
    const double unit = this->unit(i + 1);
    const double pace = money.paces.empty() ? kMostPace : money.paces[as_size(i)] / unit;
    const double left = money.left.empty() ? kMaxTotal : money.left[as_size(i)] / unit;
    sound = pace >= 0.0 && left >= 0.0;  // false for NaN
    books.paces[i] = std::min(pace, kMostPace);
    books.left[i] = std::min(left, kMaxTotal);
    decision.paces[i] = books.paces[i] * unit;
  }
  if (sound) return {};
  return Error{fmt::format("paces: accepted: one number per cost ({}), at least 0, or none", m)};
}

Result<> PolicyBase::check_outcome(const Outcome& outcome, Came& came) const {
  came = all_came(costs());
  auto whole = validate(shape_, outcome);
  if (whole || !learns_parts()) return whole;
  came = came_of(outcome);
  return validate_parts(shape_, outcome);
}

// A decision that was made while some outcome had come in part may have been made before or after
// the rest of that outcome. It counts as not fresh: nothing is assumed about what it knew.
Result<> PolicyBase::learn(const Round& round, const Decision& decision, const Outcome& given,
                           Part part) {
  if (is_bill(part)) return book(given);
  if (part == Part::kWarm) return learn_warm(round, decision, given);
  if (auto fits = validate(shape_, round); !fits) return fits;
  Came came;
  if (auto fits = check_outcome(given, came); !fits) return fits;
  if (auto fits = check_decided(round, decision); !fits) return fits;
  take(round, decision, given, came, part);
  return {};
}

Result<> PolicyBase::check_action(const Round& round, int action) {
  if (action >= 0 && action < round.actions) return {};
  return Error{fmt::format("found action {} of a round with {}; accepted: 0 to {}", action,
                           round.actions, round.actions - 1)};
}

Result<std::span<const double>> PolicyBase::estimate(const Round& round, const Costs& paces,
                                                     Scratch& working, Decision& made) const {
  made.prepare(rules_.reward_only ? 1 : shape_.heads(), round.actions);
  working.reset(scratch());
  if (oracle_) oracle_->predict(round, working, made.estimates);
  Books books = books_;
  made.learned = books_.rounds;
  made.log_scale = 0.0;
  made.paces = Costs();
  if (rules_.terms.paced) {
    const Money money{.reserved = {}, .paces = paces.span(), .left = {}};
    if (auto fits = take_paces(money, books, made); !fits) return fits.failure();
  }
  return choose(round, books, working, made);
}

// The round is estimated just before it is learned. Open decisions were made before: they are not
// fresh any more.
Result<> PolicyBase::learn_warm(const Round& round, const Decision& given, const Outcome& outcome) {
  if (!learns_parts()) {
    return Error{
        fmt::format("{} keeps a memory of its own decisions; accepted: ccb, squarecb and "
                    "other policies that are made of parts",
                    spec_.name)};
  }
  if (auto fits = validate(shape_, round); !fits) return fits;
  const Came came = came_of(outcome);
  if (came != 0) {
    if (auto fits = validate_parts(shape_, outcome); !fits) return fits;
  }
  if (auto fits = check_action(round, given.action); !fits) return fits;
  if (!warm_) warm_ = std::make_unique<Decision>(*this);
  auto said = estimate(round, given.paces, scratch_, *warm_);
  if (!said) return said.failure();
  warm_->action = given.action;
  const std::size_t m = said.value().empty() ? 0 : shape_.costs.size();
  warm_->predicted = Costs(said.value().subspan(as_size(given.action) * m, m));
  take(round, *warm_, outcome, came, Part::kWarm);
  return {};
}

void PolicyBase::take(const Round& round, const Decision& decision, const Outcome& given, Came came,
                      Part part) {
  const bool whole = came == all_came(costs());
  const Outcome filled = whole ? Outcome() : only(given, came, costs());
  const Outcome& outcome = whole ? given : filled;
  const bool first = part == Part::kFirst, warm = part == Part::kWarm;
  double heads[1 + kMaxCosts];
  heads[0] = outcome.reward;
  const bool positive = counts_positive_part(rules_.terms.setting);
  Lesson lesson{
      .round = round,
      .decision = decision,
      .outcome = outcome,
      .heads = {heads, as_size(rules_.reward_only ? 1 : shape_.heads())},
      .queued = Costs(costs()),
      .fresh = warm || (first && decision.learned == books_.rounds && stale_ != books_.rounds),
      .came = came,
      .first = first,
      .warm = warm};
  for (int i = 0; i < costs(); ++i) {
    const double cost = positive ? std::max(outcome.costs[i], 0.0) : outcome.costs[i];
    heads[i + 1] = cost;  // NaN stays NaN
    if (warm) continue;   // joins no queue
    const double paid = lesson.has(i + 1) ? cost / unit(i + 1) : 0.0;
    const double rate = rules_.terms.paced ? pace_of(decision, i) : rules_.rate[i];
    lesson.queued[i] = first ? paid - rate : paid;
  }
  if (came == 0) return commit(lesson, books_);  // rehearsed, not learned
  teach(round, decision.action, {heads, lesson.heads.size()});
  attempt(lesson);
  if (warm) {
    count_warm(lesson);
  } else {
    count(lesson);
  }
  commit(lesson, books_);
  if (!first) stale_ = books_.rounds;
}

Result<> PolicyBase::book(const Outcome& outcome) {
  if (outcome.costs.size() != costs()) {
    return Error{fmt::format("bill: found {} costs; accepted: {}", outcome.costs.size(), costs())};
  }
  for (double cost : outcome.costs) {
    if (is_missing(cost) || std::abs(cost) <= kMaxNumber) continue;  // false for NaN
    return Error{fmt::format("bill: found a cost of {}; accepted: up to {}", cost, kMaxNumber)};
  }
  if (!is_missing(outcome.reward)) {  // a cost of the caller's, which a goal maps to the reward
    if (!(std::abs(outcome.reward) <= kMaxNumber)) {
      return Error{fmt::format("bill: found a reward of {}; accepted: up to {}", outcome.reward,
                               kMaxNumber)};
    }
    reward_ += outcome.reward;
  }
  const bool positive = counts_positive_part(rules_.terms.setting);
  Costs queued(costs());
  for (int i = 0; i < costs(); ++i) {
    if (is_missing(outcome.costs[i])) continue;
    const double cost = outcome.costs[i] / unit(i + 1);
    books_.spent[i] += cost;
    sizes_[i] += std::abs(cost);
    queued[i] = positive ? std::max(cost, 0.0) : cost;
  }
  bill({queued, came_of(outcome) >> 1, false}, books_);
  return {};
}

void PolicyBase::teach(const Round&, int, std::span<double>) const {}

double PolicyBase::pace_of(const Decision& decision, int cost) const {
  if (cost >= decision.paces.size()) return kMostPace;
  const double pace = decision.paces[cost] / unit(cost + 1);
  return pace >= 0.0 && pace < kMostPace ? pace : kMostPace;
}

void PolicyBase::count_paces(const Decision& decision) {
  books_.paces = Costs(costs());
  for (int i = 0; i < costs(); ++i) {
    books_.paces[i] = pace_of(decision, i);
    books_.paced[i] += books_.paces[i];
  }
}

void PolicyBase::count_warm(const Lesson& lesson) {
  books_.warm += 1;
  if (books_.largest.empty()) books_.largest = Costs(costs());
  for (int i = 0; i < costs(); ++i) {
    if (!lesson.has(i + 1)) continue;
    const double cost = std::abs(lesson.outcome.costs[i]) / unit(i + 1);
    books_.largest[i] = std::max(books_.largest[i], cost);
  }
}

void PolicyBase::count(const Lesson& lesson) {
  for (int i = 0; i < costs(); ++i) {
    if (!lesson.has(i + 1)) continue;
    const double cost = lesson.outcome.costs[i] / unit(i + 1);
    books_.spent[i] += cost;
    sizes_[i] += std::abs(cost);
  }
  if (lesson.has(0)) reward_ += lesson.outcome.reward;
  if (!lesson.first) return;
  if (rules_.terms.paced) count_paces(lesson.decision);
  books_.rounds += 1;
  if (lesson.decision.probabilities().size() != as_size(lesson.round.actions)) return;
  logged_ += 1;
  weight_ += squared_weight(lesson.decision, rules_.floor);
}

void PolicyBase::attempt(const Lesson& lesson) {
  if (!oracle_) return;
  Undo undo = guard();
  oracle_->learn(lesson.round, lesson.decision.action, lesson.heads);
  undo.keep();
}

Costs PolicyBase::in_shape(Costs prices) const {
  for (int i = 0; i < prices.size(); ++i) prices[i] *= unit(0) / unit(i + 1);
  return prices;
}

}  // namespace rein
