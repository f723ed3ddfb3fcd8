#include "policy/auto_tuning.h"

#include <algorithm>
#include <bit>

#include "base/size.h"
#include "base/units.h"
#include "policy/common.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr int kWindowRounds = 512;  // that the price is rehearsed on,
constexpr int kWindowStride = 4;    // later on one in so many: a longer memory at the same cost
constexpr double kDearest = 0.25;   // of what is left of a budget: what one action may take

int costs_of(const Shape& shape) { return static_cast<int>(shape.costs.size()); }

}  // namespace

AutoTuning::AutoTuning(const Shape& shape, const Terms& terms, const Oracle& oracle,
                       const Gain& gain, bool certify, Prior::Options prior)
    : terms_(terms),
      units_(units_of(shape, counts_positive_part(terms.setting))),
      prior_(shape, units_, terms.rates, std::move(prior)),
      calibration_(shape.actions, costs_of(shape)),
      window_(shape.actions, costs_of(shape), kWindowRounds, gain) {
  for (const CostShape& cost : shape.costs) {
    ranges_.push_back(cost.range);
    refunds_.push_back(cost.range.low < 0.0);
    if (counts_positive_part(terms.setting)) ranges_.back().low = std::max(cost.range.low, 0.0);
  }
  if (certify) certificate_ = std::make_unique<Certificate>(shape, oracle, units_);
}

bool AutoTuning::correct(const Round& round, std::span<double> raw, Decision& decision) const {
  const std::size_t m = ranges_.size();
  for (std::size_t i = 0; i < m; ++i) {
    const std::span<const double> mean = decision.estimates.mean(static_cast<int>(i) + 1);
    for (int a = 0; a < round.actions; ++a) raw[as_size(a) * m + i] = mean[a] / units_[i + 1];
  }
  prior_.apply(round, decision.estimates);
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

// Near the end of a budget one dear action could pass it by more than all the care before it saved.
void AutoTuning::score(const Books& books, Decision& decision) const {
  if (terms_.rounds == 0) return;
  const std::span<double> scores = decision.scores();
  for (int i = 0; i < terms_.budgets.size(); ++i) {
    if (refunds_[as_size(i)]) continue;  // what is paid may come back
    const double left = terms_.budgets[i] - books.spent[i] - books.held(i);
    const double most = kDearest * std::max(left, 0.0) * units_[as_size(i + 1)];
    const std::span<const double> cost = decision.estimates.mean(i + 1);
    const double least = *std::ranges::min_element(cost);
    for (std::size_t a = 0; a < scores.size(); ++a) {
      if (cost[a] > std::max(least, most)) scores[a] = std::min(scores[a], kBarred);
    }
  }
}

void AutoTuning::teach(const Round& round, int action, std::span<double> heads) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const double unit = units_[i + 1];
    const double learned =
        unit * prior_.to_learn(round, action, static_cast<int>(i), heads[i + 1] / unit);
    heads[i + 1] = std::clamp(learned, ranges_[i].low, ranges_[i].high);
  }
}

void AutoTuning::look(const Lesson& lesson) {
  if (!certificate_) return;
  const Decision& decision = lesson.decision;
  Certificate::Played played{.lift = prior_.lift(lesson.round.id(decision.action)),
                             .costs = Costs(static_cast<int>(ranges_.size()))};
  if (decision.estimates.actions() == lesson.round.actions) {
    for (int i = 0; i < played.costs.size(); ++i) {
      const double mean = decision.estimates.mean(i + 1)[decision.action];
      played.costs[i] =
          prior_.to_learn(lesson.round, decision.action, i, mean / units_[as_size(i + 1)]);
    }
  }
  certificate_->look(lesson.round, decision, played, lesson.fresh);
}

// The price's V = sqrt(K t U) takes the U of the oracle's own predictions; tell() reports that of
// what is played. U grows slowly and some oracles need a pass over all they know for it, so it is
// asked for 16 times per doubling of rounds.
void AutoTuning::learn(const Lesson& lesson, Books& books, Pricer& pricer) {
  const Decision& decision = lesson.decision;
  Costs paid = lesson.outcome.costs;
  for (int i = 0; i < paid.size(); ++i) {
    paid[i] = std::max(paid[i], ranges_[as_size(i)].low) / units_[as_size(i + 1)];
  }
  const bool whole = decision.estimates.actions() == lesson.round.actions;  // from decide()
  const double width = whole ? decision.estimates.width()[decision.action] : 0.0;
  for (int i = 0; i < std::min(paid.size(), decision.predicted.size()); ++i) {
    const double said =
        prior_.corrected(lesson.round, decision.action, i, decision.predicted[i], width);
    calibration_.learn(lesson.round.id(decision.action), i, paid[i] - said);
  }
  prior_.learn(lesson.round, decision.action, lesson.heads[0] / units_[0], paid);
  const auto rounds = static_cast<std::uint64_t>(books.rounds);
  if (certificate_) {
    certificate_->learn();
    if (rounds % std::max<std::uint64_t>(1, std::bit_floor(rounds) / 16) == 0) {
      books.u = std::max(books.u, certificate_->plain(books.rounds));
    }
  }
  if (!whole) return;
  const std::int64_t stride =
      std::min<std::int64_t>(kWindowStride, 1 + books.rounds / kWindowRounds);
  if (books.rounds % stride == 0) window_.add(decision.estimates, units_);
  pricer.foresee(books, window_);
}

void AutoTuning::tell(PolicyState& state) const {
  if (!certificate_ || state.rounds == 0) return;
  state.u = certificate_->played(std::max(state.u, certificate_->plain(state.rounds)));
}

void AutoTuning::save(ByteWriter& out) const {
  out.parts(prior_, calibration_, window_);
  if (certificate_) certificate_->save(out);
}

void AutoTuning::load(ByteReader& in) {
  in.parts(prior_, calibration_, window_);
  if (certificate_) certificate_->load(in);
}

}  // namespace rein
