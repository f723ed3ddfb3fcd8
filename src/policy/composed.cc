#include "policy/composed.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {

namespace {

// Whether any head of the oracle came.
bool seen(const Lesson& lesson) { return lesson.heads.size() > 1 || lesson.has(0); }

}  // namespace

Composed::Composed(const Spec& spec, const Shape& shape, Parts parts, const Rules& rules)
    : PolicyBase(spec, shape, std::move(parts.oracle), rules), parts_(std::move(parts)) {}

std::size_t Composed::raw_size(int actions) const {
  return parts_.extras.empty() ? 0 : as_size(actions) * as_size(costs());
}

std::size_t Composed::scratch() const {
  const int actions = shape().actions;
  return PolicyBase::scratch() + raw_size(actions) + rules().shares.work(actions);
}

std::span<const double> Composed::choose(const Round& round, const Books& books, Scratch& scratch,
                                         Decision& decision) const {
  const std::span<double> raw = scratch.take(raw_size(round.actions));
  bool corrected = false;
  for (const auto& extra : parts_.extras) corrected |= extra->correct(round, raw, decision);

  Prices prices;
  parts_.pricer->price(books, prices);
  decision.log_scale = prices.log_scale;
  score(round, books, prices, decision);
  Books near = books;
  for (const auto& extra : parts_.extras) extra->compete(round, prices, decision, near);
  const double gamma = parts_.gain->gamma(near, prices, round.actions);
  parts_.explorer->explore(decision.scores(), gamma, decision.probabilities());
  for (const auto& extra : parts_.extras) extra->mix(round, books, decision);
  if (parts_.floor.active()) parts_.floor.mix(units(), decision);
  if (parts_.baseline.active()) parts_.baseline.mix(round, decision);
  const Shares& shares = rules().shares;
  if (shares.active()) {
    shares.mix(round, *parts_.explorer, gamma, scratch.take(shares.work(round.actions)), decision);
  }

  const double scale = prices.log_scale == 0.0 ? 1.0 : exp(prices.log_scale);
  decision.gamma = gamma / scale;
  decision.prices = Costs(prices.scaled.size());
  for (int i = 0; i < prices.scaled.size(); ++i) {
    decision.prices[i] = prices.scaled[i] * scale * unit(0) / unit(i + 1);
  }
  return corrected ? raw : std::span<double>();
}

void Composed::score(const Round& round, const Books& books, const Prices& prices,
                     Decision& decision) const {
  const std::span<double> scores = decision.scores();
  if (!oracle()) {
    for (std::span<double> row : {scores, decision.estimates.mean(0), decision.estimates.width()}) {
      std::ranges::fill(row, 0.0);
    }
    return;
  }
  const double shrink = prices.log_scale == 0.0 ? 1.0 : exp(-prices.log_scale);
  const std::span<const double> reward = decision.estimates.mean(0);
  for (std::size_t a = 0; a < scores.size(); ++a) scores[a] = reward[a] / unit(0) * shrink;
  for (int i = 0; i < prices.scaled.size(); ++i) {
    const std::span<const double> cost = decision.estimates.mean(i + 1);
    const double price = prices.scaled[i];
    const double per_unit = unit(i + 1);
    for (std::size_t a = 0; a < scores.size(); ++a) {
      scores[a] = std::fma(-price, cost[a] / per_unit, scores[a]);
    }
  }
  if (parts_.confidence.active()) {
    parts_.confidence.add(prices, shrink, books.rounds + books.warm, decision.estimates, scores);
  }
  for (const auto& extra : parts_.extras) extra->score(round, books, prices, decision);
}

void Composed::teach(const Round& round, int action, std::span<double> heads) const {
  for (const auto& extra : parts_.extras) extra->teach(round, action, heads);
}

void Composed::attempt(const Lesson& lesson) {
  for (const auto& extra : parts_.extras) extra->look(lesson);
  if (!oracle() || !seen(lesson)) return;
  Undo undo = guard();
  oracle()->learn(lesson.round, lesson.decision.action, lesson.heads);
  for (const auto& extra : parts_.extras) extra->learned(lesson, *oracle());
  undo.keep();
}

void Composed::commit(const Lesson& lesson, Books& books) {
  if (!lesson.warm) parts_.pricer->learn(books, lesson.paid());
  if (lesson.first) parts_.gain->learn(lesson.decision.log_scale);
  if (parts_.baseline.active() && lesson.has(0) && !lesson.warm) parts_.baseline.learn(lesson);
  for (const auto& extra : parts_.extras) extra->learn(lesson, books, *parts_.pricer);
}

void Composed::add_prior(const Round& round, Estimates& estimates) const {
  for (const auto& extra : parts_.extras) extra->add_prior(round, estimates);
}

void Composed::tell(PolicyState& state) const {
  state.queues = parts_.pricer->queues();
  state.parameters = parts_.pricer->parameters();
  for (const auto& extra : parts_.extras) extra->tell(state);
}

void Composed::certify(PolicyState& state) const {
  for (const auto& extra : parts_.extras) extra->certify(state);
}

void Composed::save_parts(ByteWriter& out) const {
  out.parts(*parts_.pricer, *parts_.gain);
  if (parts_.baseline.active()) parts_.baseline.save(out);
  for (const auto& extra : parts_.extras) extra->save(out);
}

Result<> Composed::load_parts(ByteReader& in) {
  if (auto done = parts_.pricer->load(in); !done) return done;
  if (auto done = parts_.gain->load(in); !done) return done;
  if (parts_.baseline.active()) parts_.baseline.load(in);
  for (const auto& extra : parts_.extras) extra->load(in);
  return in.status();
}

}  // namespace rein
