#include "policy/base.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/math.h"
#include "base/own.h"
#include "base/size.h"
#include "base/units.h"
#include "estimate/abilities.h"
#include "estimate/optimistic.h"
#include "policy/common.h"
#include "policy/floor.h"

namespace rein {
namespace {

constexpr std::int64_t kStateVersion = 8;
constexpr double kMostPace = 2.0;  // in units, in which no cost exceeds 1: without limit

// What was forgotten is not certified.
void tell_changes(const Oracle* oracle, PolicyState& state) {
  if (oracle == nullptr) return;
  const OracleAbilities& able = plain(*oracle).abilities();
  if (const auto seen = able.change()) {
    state.change = ChangeState{.times = seen->times, .round = seen->round, .head = seen->head};
  }
  if (!able.forgets()) return;
  state.u = kNan;
  state.oracle_regret = kNan;
}

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

PolicyState PolicyBase::told(bool whole) const {
  PolicyState state;
  state.rounds = books_.rounds;
  state.learns_parts = learns_parts();
  state.reward = reward_;
  state.spent = books_.spent;
  for (int i = 0; i < state.spent.size(); ++i) state.spent[i] *= unit(i + 1);
  state.warm = books_.warm;
  const double u = rules_.terms.anytime ? rules_.terms.u_at(books_.rounds + 1) : books_.u;
  state.u = oracle_ && books_.warm == 0 ? u : kNan;
  state.oracle_regret = oracle_ ? plain(*oracle_).regret() : kNan;
  if (!rules_.reward_only) state.setting = rules_.terms.setting;
  if (rules_.theorem && books_.warm == 0) state.theorem = rules_.terms;
  const double logged = static_cast<double>(logged_);
  state.effective_size = logged_ > 0 ? logged * logged / weight_ : 0.0;
  tell(state);
  if (whole) certify(state);
  tell_changes(oracle_.get(), state);
  if (!shape_.unknown().empty()) state.u = state.oracle_regret = kNan;  // in units of a range
  for (int i = 0; i < std::min(state.queues.size(), costs()); ++i) {
    if (!shape_.costs[as_size(i)].range.known()) state.queues[i] *= unit(i + 1);
  }
  const StatusAccounts found = accounts(state);
  state.allowed = found.rates;
  for (int i = 0; i < state.allowed.size(); ++i) {
    state.allowed[i] *= static_cast<double>(books_.rounds) * unit(i + 1);
  }
  const Judgement judged =
      judge(found, state.change && state.change->times > 0, state.alarm && state.alarm->ringing);
  state.status = judged.status;
  state.status_head = judged.cost < 0 ? -1 : judged.cost + 1;
  return state;
}

StatusAccounts PolicyBase::accounts(const PolicyState& state) const {
  const Terms& terms = rules_.terms;
  StatusAccounts found{.rounds = books_.rounds,
                       .horizon = terms.rounds,
                       .spent = books_.spent,
                       .sizes = sizes_,
                       .rates = {},
                       .least = state.least};
  if (rules_.reward_only) return found;  // promises nothing about costs
  const bool is_total = terms.rates.empty() && !terms.budgets.empty();
  if (terms.anytime && is_total) return found;  // a total, and nobody knows for how many rounds
  for (int i = 0; i < found.least.size(); ++i) found.least[i] /= unit(i + 1);
  found.rates = terms.rates.empty() ? terms.budgets : terms.rates;
  if (terms.rates.empty()) {
    for (double& rate : found.rates)
      rate /= static_cast<double>(std::max<std::int64_t>(terms.rounds, 1));
  }
  if (found.rates.empty()) found.rates = Costs(costs());
  found.paced = terms.paced;
  for (int i = 0; i < books_.paced.size(); ++i) {
    found.rates[i] =
        books_.paced[i] / static_cast<double>(std::max<std::int64_t>(books_.rounds, 1));
  }
  return found;
}

std::string PolicyBase::save() const {
  ByteWriter out;
  out.tag("rein policy");
  out.i64(kStateVersion);
  out.text(spec_.asked().str());
  out.text(text_of(shape_));
  out.i64(books_.rounds);
  out.i64(books_.warm);
  if (books_.warm > 0) out.parts(books_.largest);
  out.parts(books_.spent, books_.u, books_.opt, books_.reach, reward_, sizes_, weight_);
  out.parts(books_.noise, books_.noises, books_.late);
  out.parts(books_.paced);  // of no numbers, unless the budgets are kept elsewhere
  out.i64(logged_);
  out.i64(stale_);
  if (oracle_) oracle_->save(out);
  save_parts(out);
  return out.bytes();
}

Result<> PolicyBase::load(std::string_view bytes) {
  const std::string before = save();
  auto loaded = read(bytes);
  if (loaded) return loaded;
  // A piece of the caller's own that refuses its own bytes cannot be restored. The first error
  // says more.
  if (auto restored = read(before); !restored && own_uses(spec_, OwnKind::kPolicy).empty()) {
    restored.check();
  }
  return loaded;
}

void PolicyBase::read_shape(ByteReader& in) const {
  const std::string saved = in.text();
  if (in.ok() && shape_.new_place >= 0 && saved == text_of(shape_)) {
    return in.renew(shape_.new_place, shape_.actions);
  }
  if (!in.ok() || saved == text_of(shape_)) return;
  Shape fewer = shape_;
  std::from_chars(saved.data(), saved.data() + saved.size(), fewer.actions);
  const bool is_fewer =
      fewer.actions >= 1 && fewer.actions < shape_.actions && saved == text_of(fewer);
  if (!is_fewer || rules_.theorem) {
    return in.fail(fmt::format(
        "saved state is of \"{}\", expected \"{}\"{}", saved, text_of(shape_),
        is_fewer ? "; the constants of its theorem hold for a fixed number of actions" : ""));
  }
  in.grow(fewer.actions, shape_.actions);
}

Result<> PolicyBase::read(std::string_view bytes) {
  ByteReader in(bytes);
  const std::string kind = in.text();
  if (kind == "rein own policy" || kind == "rein two stages") {  // before version 3
    in.expect("version", 1, kStateVersion);
  } else if (kind != "rein policy") {
    in.fail(fmt::format("saved state is of \"{}\", expected \"rein policy\"", kind));
  }
  in.expect("version", in.i64(), kStateVersion);
  in.tag(spec_.asked().str());
  read_shape(in);
  books_.rounds = in.count();
  books_.warm = in.count();
  books_.largest = books_.warm > 0 ? Costs(costs()) : Costs();
  if (books_.warm > 0) in.parts(books_.largest);
  in.parts(books_.spent, books_.u, books_.opt, books_.reach, reward_, sizes_, weight_);
  in.parts(books_.noise, books_.noises, books_.late);
  in.parts(books_.paced);
  logged_ = in.count();
  stale_ = in.between("rounds at the last later part", -1, books_.rounds);
  if (oracle_) {
    if (auto done = oracle_->load(in); !done) return done;
  }
  if (auto done = load_parts(in); !done) return done;
  return in.finish();
}

}  // namespace rein
