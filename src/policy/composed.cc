#include "policy/composed.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/math.h"
#include "base/size.h"
#include "estimate/heads.h"
#include "policy/common.h"
#include "policy/own_parts.h"

namespace rein {
namespace {

constexpr std::int64_t kStateVersion = 2;
constexpr int kWindowRounds = 512;  // that the price is rehearsed on,
constexpr int kWindowStride = 4;    // later on one in so many: a longer memory at the same cost
constexpr double kDearest = 0.25;   // of what is left of a budget: what one action may take
constexpr double kBarred = -1e15;   // a score that is never played

}  // namespace

Composed::Composed(const Spec& spec, const Shape& shape, Parts parts, const Rules& rules)
    : spec_(spec),
      shape_(shape),
      parts_(std::move(parts)),
      rules_(rules),
      heads_(rules.reward_only ? 1 : shape.heads()),
      units_(units_of(shape, rules.positive_part)),
      own_oracle_(uses_own_oracle(spec)) {
  books_.spent = Costs(static_cast<int>(shape.costs.size()));
  if (rules_.rate.empty()) rules_.rate = books_.spent;
  books_.u = rules_.certify_u ? 1.0 : rules_.terms.u;
  if (rules_.alarm && parts_.oracle && Watch::fits(shape_)) {
    watch_ = std::make_unique<Watch>(shape_, *parts_.oracle);
  }
  if (rules_.certify_u)
    certificate_ = std::make_unique<Certificate>(shape_, *parts_.oracle, units_);
  if (!rules_.adaptive) return;
  const int m = static_cast<int>(shape_.costs.size());
  calibration_ = std::make_unique<Calibration>(shape_.actions, m);
  window_ = std::make_unique<Window>(shape_.actions, m, kWindowRounds, *parts_.gain);
}

std::size_t Composed::scratch() const {
  const std::size_t oracle = parts_.oracle ? parts_.oracle->scratch() : 0;
  const auto numbers = as_size(shape_.actions) * shape_.costs.size();
  return oracle + (rules_.adaptive ? numbers : 0);
}

Result<> Composed::decide(const Round& round, std::span<const double> reserved, Rng& rng,
                          Scratch& scratch, Decision& decision) const {
  if (auto fits = validate(shape_, round); !fits) return fits;
  if (auto fits = check_reserved(shape_, units_, reserved); !fits) return fits;

  decision.prepare(heads_, round.actions);
  if (parts_.oracle) {
    scratch.reset(this->scratch());
    parts_.oracle->predict(round, scratch, decision.estimates);
  }
  std::span<double> raw;
  if (calibration_) {
    raw = scratch.take(as_size(round.actions) * shape_.costs.size());
    calibrate(round, raw, decision);
  }

  Books books = books_;
  books.reserved = Costs(reserved);
  for (int i = 0; i < books.reserved.size(); ++i) books.reserved[i] /= units_[i + 1];
  Prices prices;
  parts_.pricer->price(books, prices);
  score(prices, decision);
  if (rules_.adaptive) bar_too_dear(books, decision);

  const double gamma = parts_.gain->gamma(prices, round.actions, books_.rounds);
  parts_.explorer->explore(decision.scores(), gamma, decision.probabilities());

  const double scale = prices.log_scale == 0.0 ? 1.0 : exp(prices.log_scale);
  decision.gamma = gamma / scale;
  decision.log_scale = prices.log_scale;
  decision.learned = books_.rounds;
  decision.prices = Costs(prices.scaled.size());
  for (int i = 0; i < prices.scaled.size(); ++i) {
    decision.prices[i] = prices.scaled[i] * scale * units_[0] / units_[i + 1];
  }
  if (auto sound = check_sound(decision); !sound) return sound;
  decision.action = draw(decision.probabilities(), rng.uniform());
  decision.probability = decision.probabilities()[decision.action];
  decision.predicted = Costs();
  if (calibration_) {
    const std::size_t m = shape_.costs.size();
    decision.predicted = Costs(raw.subspan(as_size(decision.action) * m, m));
  }
  return {};
}

// raw[a * m + i] keeps what the oracle said, in units.
void Composed::calibrate(const Round& round, std::span<double> raw, Decision& decision) const {
  const int m = static_cast<int>(shape_.costs.size());
  for (int i = 0; i < m; ++i) {
    const Range range = shape_.costs[i].range;
    const double low = rules_.positive_part ? std::max(range.low, 0.0) : range.low;
    const std::span<double> cost = decision.estimates.mean(i + 1);
    for (int a = 0; a < round.actions; ++a) {
      raw[as_size(a * m + i)] = cost[a] / units_[i + 1];
      const double more = calibration_->correction(round.id(a), i) * units_[i + 1];
      cost[a] = std::clamp(cost[a] + more, low, range.high);
    }
  }
}

// Near the end of a budget one dear action could pass it by more than all the care before it saved.
void Composed::bar_too_dear(const Books& books, Decision& decision) const {
  if (rules_.terms.rounds == 0) return;
  const std::span<double> scores = decision.scores();
  for (int i = 0; i < rules_.terms.budgets.size(); ++i) {
    if (shape_.costs[i].range.low < 0.0) continue;  // what is paid may come back
    const double left = rules_.terms.budgets[i] - books.spent[i] - books.held(i);
    const double most = kDearest * std::max(left, 0.0) * units_[i + 1];
    const std::span<const double> cost = decision.estimates.mean(i + 1);
    const double least = *std::min_element(cost.begin(), cost.end());
    for (std::size_t a = 0; a < scores.size(); ++a) {
      if (cost[a] > std::max(least, most)) scores[a] = std::min(scores[a], kBarred);
    }
  }
  decision.best = best_of(scores);
}

void Composed::score(const Prices& prices, Decision& decision) const {
  const std::span<double> scores = decision.scores();
  if (!parts_.oracle) {
    for (std::span<double> zeros : {scores, decision.estimates.mean(0), decision.estimates.width()})
      std::fill(zeros.begin(), zeros.end(), 0.0);
    decision.best = 0;
    return;
  }
  const double shrink = prices.log_scale == 0.0 ? 1.0 : exp(-prices.log_scale);
  const std::span<const double> reward = decision.estimates.mean(0);
  for (std::size_t a = 0; a < scores.size(); ++a) scores[a] = reward[a] / units_[0] * shrink;
  for (int i = 0; i < prices.scaled.size(); ++i) {
    const std::span<const double> cost = decision.estimates.mean(i + 1);
    const double price = prices.scaled[i];
    for (std::size_t a = 0; a < scores.size(); ++a) {
      scores[a] = std::fma(-price, cost[a] / units_[i + 1], scores[a]);
    }
  }
  const std::span<const double> width = std::as_const(decision.estimates).width();
  if (parts_.first && parts_.first->active()) {
    for (std::size_t a = 0; a < scores.size(); ++a) scores[a] = half_width(width[a]);
  } else if (rules_.confidence.active()) {
    rules_.confidence.add(prices, shrink, books_.rounds, width, scores);
  }
  decision.best = best_of(scores);
}

Result<> Composed::learn(const Round& round, const Decision& decision, const Outcome& outcome) {
  if (auto fits = validate(shape_, round); !fits) return fits;
  if (auto fits = validate(shape_, outcome); !fits) return fits;
  if (auto fits = check_decided(round, decision); !fits) return fits;

  const int m = outcome.costs.size();
  double learned[1 + kMaxCosts];
  Costs queued(m);
  learned[0] = outcome.reward;
  for (int i = 0; i < m; ++i) {
    const double cost = rules_.positive_part ? std::max(outcome.costs[i], 0.0) : outcome.costs[i];
    learned[i + 1] = cost;
    queued[i] = cost / units_[i + 1] - rules_.rate[i];
  }
  // First all that may throw, which is an oracle of the caller's own; then all that changes.
  const std::span<const double> outcomes(learned, as_size(heads_));
  const bool fresh = decision.learned == books_.rounds;
  if (watch_) watch_->look(round, decision, fresh);
  if (certificate_) certificate_->look(round, decision, fresh);
  std::optional<double> best;
  if (parts_.oracle) {
    Undo undo(*parts_.oracle, own_oracle_, saved_);
    parts_.oracle->learn(round, decision.action, outcomes);
    if (parts_.first) best = parts_.first->learn(round, *parts_.oracle, units_);
    undo.keep();
  }
  if (watch_) watch_->learn(round, decision.action, outcomes);
  for (int i = 0; i < m; ++i) books_.spent[i] += outcome.costs[i] / units_[i + 1];
  books_.rounds += 1;
  reward_ += outcome.reward;
  if (best) books_.opt = *best + rules_.stage_margin;
  parts_.pricer->learn(books_, queued);
  parts_.gain->learn(decision.log_scale);
  if (rules_.adaptive) adapt(round, decision, outcome);
  return {};
}

// What tuning=auto learns besides: how wrong the costs were, how far what was played is from what
// the oracle says, which U the oracle certifies, and what the price should be. The price's V = sqrt
// (K t U) takes the U of the oracle's own predictions; state() tells that of what is played. It
// grows slowly and some oracles need a pass over all they know for it, so it is asked for 16 times
// per doubling of rounds.
void Composed::adapt(const Round& round, const Decision& decision, const Outcome& outcome) {
  const int m = outcome.costs.size();
  for (int i = 0; i < std::min(m, decision.predicted.size()); ++i) {
    const double cost = rules_.positive_part ? std::max(outcome.costs[i], 0.0) : outcome.costs[i];
    calibration_->learn(round.id(decision.action), i, cost / units_[i + 1] - decision.predicted[i]);
  }
  const auto rounds = static_cast<std::uint64_t>(books_.rounds);
  if (certificate_) {
    certificate_->learn();
    if (rounds % std::max<std::uint64_t>(1, std::bit_floor(rounds) / 16) == 0) {
      books_.u = std::max(books_.u, certificate_->plain(books_.rounds));
    }
  }
  if (decision.estimates.actions() != round.actions) return;  // not from decide(): nothing to keep
  const std::int64_t stride =
      std::min<std::int64_t>(kWindowStride, 1 + books_.rounds / kWindowRounds);
  if (books_.rounds % stride == 0) window_->add(decision.estimates, units_);
  window_->set_time(books_.rounds);
  parts_.pricer->foresee(books_, *window_);
}

PolicyState Composed::state() const {
  PolicyState state;
  state.rounds = books_.rounds;
  state.reward = reward_;
  state.spent = books_.spent;
  for (int i = 0; i < state.spent.size(); ++i) state.spent[i] *= units_[i + 1];
  state.queues = parts_.pricer->queues();
  state.parameters = parts_.pricer->parameters();
  state.u = parts_.oracle ? books_.u : std::numeric_limits<double>::quiet_NaN();
  if (certificate_ && books_.rounds > 0) {
    state.u = certificate_->played(std::max(books_.u, certificate_->plain(books_.rounds)));
  }
  if (!rules_.reward_only) state.setting = rules_.terms.setting;
  state.oracle_regret =
      parts_.oracle ? plain(*parts_.oracle).regret() : std::numeric_limits<double>::quiet_NaN();
  if (rules_.theorem) state.theorem = rules_.terms;
  if (watch_) state.alarm = watch_->state();
  return state;
}

std::string Composed::save() const {
  ByteWriter out;
  out.tag("rein policy");
  out.i64(kStateVersion);
  out.text(spec_.str());
  out.text(text_of(shape_));
  out.i64(books_.rounds);
  out.f64s(books_.spent.span());
  out.f64(reward_);
  if (parts_.oracle) parts_.oracle->save(out);
  parts_.pricer->save(out);
  parts_.gain->save(out);
  if (parts_.first) {
    out.f64(books_.opt);
    parts_.first->save(out);
  }
  if (rules_.adaptive) {
    out.f64(books_.u);
    calibration_->save(out);
    window_->save(out);
    if (certificate_) certificate_->save(out);
  }
  if (watch_) watch_->save(out);
  return out.bytes();
}

Result<> Composed::load(std::string_view bytes) {
  const std::string before = save();
  auto loaded = read(bytes);
  if (!loaded) read(before).check();
  return loaded;
}

Result<> Composed::read(std::string_view bytes) {
  ByteReader in(bytes);
  in.tag("rein policy");
  in.expect("version", in.i64(), kStateVersion);
  in.tag(spec_.str());
  in.tag(text_of(shape_));
  books_.rounds = in.count();
  in.f64s(books_.spent);
  reward_ = in.f64();
  if (parts_.oracle) {
    if (auto done = parts_.oracle->load(in); !done) return done;
  }
  if (auto done = parts_.pricer->load(in); !done) return done;
  if (auto done = parts_.gain->load(in); !done) return done;
  if (parts_.first) {
    books_.opt = in.f64();
    parts_.first->load(in);
  }
  if (rules_.adaptive) {
    books_.u = in.f64();
    calibration_->load(in);
    window_->load(in);
    window_->set_time(books_.rounds);
    if (certificate_) certificate_->load(in);
  }
  if (watch_) watch_->load(in);
  return in.finish();
}

}  // namespace rein
