#include "policy/auto_tuning.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "base/tuned.h"
#include "base/units.h"
#include "estimate/one_action.h"
#include "policy/common.h"
#include "rein/bytes.h"
#include "tuning/few_rounds.h"

namespace rein {
namespace {

// What scores are multiplied by, so that prices are at most 1.
double shrink_of(const Prices& prices) {
  return prices.log_scale == 0.0 ? 1.0 : exp(-prices.log_scale);
}

int costs_of(const Shape& shape) { return static_cast<int>(shape.costs.size()); }

}  // namespace

AutoTuning::AutoTuning(const Shape& shape, const Terms& terms, const Parts& parts,
                       const Explorer& rehearsed, Options options)
    : plain_(rein::plain(*parts.oracle)),
      terms_(terms),
      units_(units_of(shape, counts_positive_part(terms.setting))),
      reward_(shape.reward),
      parameters_(rein::parameters(shape)),
      noise_(shape.heads()),
      optimism_(shape, terms, *parts.oracle, options.optimism),
      prior_(shape, units_, terms.rates, std::move(options.prior)),
      alone_(units_.size()),
      outcome_(units_.size()),
      waits_apart_(options.waits_apart),
      owns_noise_(options.owns_noise),
      waits_(units_.size()),
      heard_(units_.size()),
      shares_(options.shares),
      calibration_(shape.actions, costs_of(shape)),
      window_(shape.actions, costs_of(shape), tuned::kWindowDecisions, *parts.gain, rehearsed,
              parts.floor, options.shares),
      raw_(as_size(shape.actions) * as_size(costs_of(shape))) {
  again_.prepare(shape.heads(), shape.actions);
  one_.prepare(shape.heads(), 1);
  if (options.has_shared_part) shared_ = std::make_unique<SharedPart>(shape, units_);
  scratch_.reset(parts.oracle->scratch());
  for (const CostShape& cost : shape.costs) {
    ranges_.push_back(cost.range);
    refunds_.push_back(cost.range.low < 0.0);
    if (counts_positive_part(terms.setting)) ranges_.back().low = std::max(cost.range.low, 0.0);
  }
  if (options.certifies) certificate_ = std::make_unique<Certificate>(shape, *parts.oracle, units_);
}

bool AutoTuning::correct(const Round& round, std::span<double> raw, Decision& decision) const {
  const std::size_t m = ranges_.size();
  for (std::size_t i = 0; i < m; ++i) {
    const std::span<const double> mean = decision.estimates.mean(static_cast<int>(i) + 1);
    for (int a = 0; a < round.actions; ++a) raw[as_size(a) * m + i] = mean[a] / units_[i + 1];
  }
  add_prior(round, decision.estimates);
  for (std::size_t i = 0; i < m; ++i) {
    const int cost = static_cast<int>(i);
    const std::span<double> mean = decision.estimates.mean(cost + 1);
    for (int a = 0; a < round.actions; ++a) {
      const double more = calibration_.correction(round.id(a), cost) * units_[i + 1];
      mean[a] = std::clamp(mean[a] + more, ranges_[i].low, ranges_[i].high);
    }
  }
  return true;
}

void AutoTuning::add_prior(const Round& round, Estimates& estimates) const {
  prior_.apply(round, estimates);
  if (shared_ && !prior_.declares_reward(round)) shared_->apply(round, estimates, prior_);
}

void AutoTuning::hope(const Round& round, const Books& books, const Prices& prices,
                      Decision& decision) const {
  if (!optimism_.active()) return;
  const double shrink = shrink_of(prices);
  const Estimates& said = decision.estimates;
  const std::span<double> scores = decision.scores();
  std::array<bool, kMaxCosts> swamped{};
  for (int i = 0; i < prices.scaled.size(); ++i) swamped[as_size(i)] = is_swamped(i, books, prices, shrink, decision);
  for (std::size_t a = 0; a < scores.size(); ++a) {
    const double bonus = shrink * optimism_.bonus(said.width(0)[a]);
    double priced = 0.0;  // the noise of all costs, at their prices
    double apart = bonus;
    for (int i = 0; i < prices.scaled.size(); ++i) {
      double noise = books.noises[i];
      if (swamped[as_size(i)]) {
        noise = std::min(noise, calibration_.spread(round.id(static_cast<int>(a)), i));
      }
      priced += prices.scaled[i] * noise;
      if (said.apart()) apart += prices.scaled[i] * noise * optimism_.reach(said.width(i + 1)[a]);
    }
    // Where outcomes have come in parts, every head has a width of its own.
    scores[a] += said.apart() ? apart : bonus + priced * optimism_.reach(said.width(0)[a]);
  }
}

// Whether the noise of a cost, times its price, exceeds many noises of the reward and many times the
// range of the estimated rewards of the round. Then the noise of this cost decides, and not the rewards.
// The range is asked too, because rewards may have no noise.
bool AutoTuning::is_swamped(int cost, const Books& books, const Prices& prices, double shrink,
                            const Decision& decision) const {
  if (!owns_noise_) return false;
  const double priced = prices.scaled[cost] * books.noises[cost];
  if (!(priced > tuned::kRewardNoises * books.noise * shrink)) return false;
  const auto [least, most] = std::ranges::minmax(decision.estimates.mean(0));
  return priced > tuned::kRewardNoises * (most - least) / units_[0] * shrink;
}

// Where a cost swamps the rewards, its noise alone would set gamma. So its noise is replaced by the
// largest one among the actions that are not barred. Where only free actions are left, that is 0, and
// gamma follows the noise of the reward.
void AutoTuning::compete(const Round& round, const Prices& prices, const Decision& decision,
                         Books& books) const {
  if (!owns_noise_) return;
  const double shrink = shrink_of(prices);
  const Costs all = books.noises;
  for (int i = 0; i < all.size(); ++i) {
    if (!is_swamped(i, books, prices, shrink, decision)) continue;
    double most = 0.0;
    for (int a = 0; a < round.actions; ++a) {
      if (decision.scores()[as_size(a)] <= kBarredScore) continue;
      most = std::max(most, calibration_.spread(round.id(a), i));
    }
    books.noises[i] = std::min(all[i], most);
  }
}

void AutoTuning::teach(const Round& round, int action, std::span<double> heads) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const double unit = units_[i + 1];
    const double learned =
        unit * prior_.to_learn(round, action, static_cast<int>(i), heads[i + 1] / unit);
    heads[i + 1] = std::clamp(learned, ranges_[i].low, ranges_[i].high);
  }
  if (!prior_.declares_reward(round)) return;
  const double learned = units_[0] * prior_.to_learn_reward(round, action, heads[0] / units_[0]);
  heads[0] = std::clamp(learned, reward_.low, reward_.high);
}

void AutoTuning::ask(const Lesson& lesson) {
  const int action = lesson.decision.action;
  const int id = lesson.round.id(action);
  const bool shares = shared_ && !prior_.declares_reward(lesson.round);
  before_.teaches = shares && lesson.is_whole() && shared_->teaches(id, lesson.is_nothing());
  before_.is_asked = shares && shared_->is_active() && (before_.teaches || shared_->moves(id));
  if (!before_.is_asked) return;
  const OneAction alone(lesson.round, action, /*features=*/0);
  scratch_.reset(plain_.scratch());
  plain_.predict(alone.round(), scratch_, one_);
  before_.own_reward = one_.mean(0)[0] / units_[0];
  alone_[0] = before_.own_reward + prior_.lift(id);
  for (int i = 0; i < static_cast<int>(ranges_.size()); ++i) {
    alone_[as_size(i + 1)] =
        prior_.corrected(lesson.round, action, i, one_.mean(i + 1)[0] / units_[as_size(i + 1)]);
  }
}

void AutoTuning::look(const Lesson& lesson) {
  ask(lesson);
  if (!certificate_ || lesson.warm) return;  // nothing of it was played
  const Decision& decision = lesson.decision;
  const std::span<const double> width = decision.estimates.width();
  const std::size_t at = as_size(decision.action);
  const double known = at < width.size() ? width[at] : 1.0;
  const bool said = decision.estimates.actions() == lesson.round.actions;
  double lift = prior_.lift(lesson.round.id(decision.action));
  if (said && prior_.declares_reward(lesson.round)) {
    lift = prior_.moved_reward(lesson.round, decision.action,
                               decision.estimates.mean(0)[at] / units_[0]);
  }
  if (said && before_.is_asked && lesson.fresh) lift = decision.estimates.mean(0)[at] / units_[0] - before_.own_reward;
  Certificate::Played played{.bonus = lesson.fresh ? optimism_.bonus(known) : optimism_.most(known),
                             .lift = lift,
                             .costs = Costs(static_cast<int>(ranges_.size())),
                             .relief = Costs(static_cast<int>(ranges_.size()))};
  if (said) {
    for (int i = 0; i < played.costs.size(); ++i) {
      const double wide = decision.estimates.width(i + 1)[at];
      const double reach = lesson.fresh ? optimism_.reach(wide) : optimism_.most_reach(wide);
      const double mean = decision.estimates.mean(i + 1)[decision.action] / units_[as_size(i + 1)];
      const double seen = lesson.fresh ? noise_.of(i + 1) : noise_.most(i + 1);
      const double lower = mean - reach * (decision.learned == 0 ? 1.0 : seen);
      played.costs[i] = prior_.to_learn(lesson.round, decision.action, i, mean);
      played.relief[i] = played.costs[i] - prior_.to_learn(lesson.round, decision.action, i, lower);
    }
  }
  certificate_->look(lesson.round, decision, played, lesson.fresh);
  certificate_->leave_out(~lesson.came);
}

// How long every head keeps a decision waiting. The money of a decision is known when its last cost is,
// so the slowest head counts. A cost that was never heard of has waited since the first round.
void AutoTuning::listen(const Lesson& lesson, Books& books) {
  const auto rounds = static_cast<double>(books.rounds);
  const double wait = std::max(0.0, rounds - 1.0 - static_cast<double>(lesson.decision.learned));
  if (!waits_apart_) {
    if (lesson.first) books.late += (wait - books.late) / std::min(rounds, tuned::kShortMemory);
    return;
  }
  books.late = 0.0;
  for (std::size_t head = 0; head < waits_.size(); ++head) {
    if (lesson.has(static_cast<int>(head))) {
      heard_[head] += 1.0;
      waits_[head] += (wait - waits_[head]) / std::min(heard_[head], tuned::kShortMemory);
    }
    const bool silent = heard_[head] == 0.0 && head > 0 && is_limited(books, static_cast<int>(head) - 1);
    books.late = std::max(books.late, silent ? rounds : waits_[head]);
  }
}

// What the round says about the noise, about how long outcomes take, and about what teaches.
void AutoTuning::measure(const Lesson& lesson, Books& books) {
  const Decision& decision = lesson.decision;
  if (!lesson.warm) listen(lesson, books);
  const int m = decision.predicted.size();
  if (decision.estimates.actions() == lesson.round.actions && as_size(m) + 1 == units_.size()) {
    const auto width = [&](int head) { return decision.estimates.width(head)[decision.action]; };
    if (lesson.has(0)) {
      noise_.learn(
          0, (lesson.outcome.reward - decision.estimates.mean(0)[decision.action]) / units_[0],
          width(0));
    }
    for (int i = 0; i < m; ++i) {
      if (!lesson.has(i + 1)) continue;
      const auto head = as_size(i + 1);
      noise_.learn(i + 1, lesson.heads[head] / units_[head] - decision.predicted[i], width(i + 1));
    }
    books.noise = noise_.reward();
    books.noises = noise_.costs();
  }
  optimism_.learn(books, taught(lesson));
}

// Whether something was paid: 1 or 0. If the costs come one by one, the share of the costs that came
// takes the place of 1.
double AutoTuning::taught(const Lesson& lesson) const {
  const int m = static_cast<int>(ranges_.size());
  if (m == 0) return lesson.first || lesson.warm ? 1.0 : 0.0;
  double seen = 0.0;
  bool paid = false;
  for (int i = 0; i < m; ++i) {
    if (!lesson.has(i + 1)) continue;
    seen += 1.0;
    paid = paid || lesson.heads[as_size(i + 1)] != 0.0;
  }
  return paid ? seen / m : 0.0;
}

// The price's V = sqrt(K t U) takes the U of the oracle's own predictions; tell() reports that of
// what is played. U grows slowly and some oracles need a pass over all they know for it, so it is
// asked for 16 times per doubling of rounds.
void AutoTuning::learn(const Lesson& lesson, Books& books, Pricer& pricer) {
  if (lesson.came == 0) return rehearse_warm(lesson, books, pricer);
  const Decision& decision = lesson.decision;
  Costs paid = lesson.outcome.costs;
  for (int i = 0; i < paid.size(); ++i) {  // NaN stays NaN
    paid[i] = std::max(paid[i], ranges_[as_size(i)].low) / units_[as_size(i + 1)];
  }
  const bool whole = decision.estimates.actions() == lesson.round.actions;  // from decide()
  rounds_ = books.rounds + books.warm;
  for (int i = 0; i < std::min(paid.size(), decision.predicted.size()); ++i) {
    if (!lesson.has(i + 1)) continue;
    double said = prior_.corrected(lesson.round, decision.action, i, decision.predicted[i]);
    if (whole) said += prior_.unknown(lesson.round, i, decision.estimates.width(i + 1)[decision.action]);
    if (before_.is_asked) said = shared_->moved(lesson.round, decision.action, i, said, prior_);
    calibration_.learn(lesson.round.id(decision.action), i, paid[i] - said);
  }
  if (before_.teaches) {  // before the prior knows the outcome, which it is judged by
    outcome_[0] = lesson.outcome.reward / units_[0];
    std::copy(paid.begin(), paid.end(), outcome_.begin() + 1);
    shared_->learn(lesson.round, decision.action, outcome_, alone_, prior_);
  }
  prior_.learn(lesson.round, decision.action, lesson.outcome.reward / units_[0], paid);
  measure(lesson, books);
  if (shared_) {
    const double plays = optimism_.teaching(static_cast<double>(rounds_));
    shared_->set_share(shared_share(plays, shared_->features()));
  }
  const auto rounds = static_cast<std::uint64_t>(books.rounds);
  if (terms_.paced && !lesson.warm && std::has_single_bit(rounds)) {
    Costs rates = books.paced;
    for (double& rate : rates) rate /= static_cast<double>(books.rounds);
    prior_.set_rates(rates);
  }
  const auto seen = static_cast<std::uint64_t>(books.rounds + books.warm);
  if (certificate_) {
    if (!lesson.warm) certificate_->learn();
    if ((lesson.first || lesson.warm) &&
        seen % std::max<std::uint64_t>(1, std::bit_floor(seen) / tuned::kCertifiedAsks) == 0) {
      books.u = std::max(books.u, certificate_->plain(books.rounds + books.warm));
    }
  }
  if (whole && lesson.first) rehearse(lesson, books, pricer);
}

void AutoTuning::tell(PolicyState& state) const {
  const bool known = window_.rounds() >= tuned::kSolveRoundsMost;
  state.least = known ? window_.least() : prior_.least_declared();
  for (int i = 0; i < state.least.size(); ++i) state.least[i] *= units_[as_size(i + 1)];
  if (certificate_ && state.rounds + state.warm > 0) state.u = kNan;  // certify() knows it
}

void AutoTuning::certify(PolicyState& state) const {
  const std::int64_t seen = state.rounds + state.warm;
  if (certificate_ && seen > 0) state.u = certificate_->played(certificate_->free(seen));
}

void AutoTuning::save(ByteWriter& out) const {
  out.parts(noise_, optimism_, prior_, calibration_, window_);
  if (waits_apart_) out.parts(waits_, heard_);
  if (shared_) shared_->save(out);
  out.i64(rehearsed_);
  out.i64(rounds_);
  if (certificate_) certificate_->save(out);
}

void AutoTuning::load(ByteReader& in) {
  in.parts(noise_, optimism_, prior_, calibration_, window_);
  if (waits_apart_) in.parts(waits_, heard_);
  if (shared_) shared_->load(in);
  rehearsed_ = in.count();
  rounds_ = in.count();
  if (certificate_) certificate_->load(in);
}

}  // namespace rein
