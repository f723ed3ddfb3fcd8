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
constexpr int kEnough = 64;         // before the least that a round can cost is told
constexpr double kDearest = 0.25;   // of what is left of a budget: what one action may take

int costs_of(const Shape& shape) { return static_cast<int>(shape.costs.size()); }

}  // namespace

AutoTuning::AutoTuning(const Shape& shape, const Terms& terms, const Oracle& oracle,
                       const Gain& gain, bool certify, const Floor& floor)
    : terms_(terms),
      units_(units_of(shape, counts_positive_part(terms.setting))),
      calibration_(shape.actions, costs_of(shape)),
      window_(shape.actions, costs_of(shape), kWindowRounds, gain, floor) {
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
    const int cost = static_cast<int>(i);
    const std::span<double> mean = decision.estimates.mean(cost + 1);
    for (int a = 0; a < round.actions; ++a) {
      raw[as_size(a) * m + i] = mean[a] / units_[i + 1];
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

void AutoTuning::look(const Lesson& lesson) {
  if (certificate_) certificate_->look(lesson.round, lesson.decision, lesson.fresh);
}

// The price's V = sqrt(K t U) takes the U of the oracle's own predictions; tell() reports that of
// what is played. U grows slowly and some oracles need a pass over all they know for it, so it is
// asked for 16 times per doubling of rounds.
void AutoTuning::learn(const Lesson& lesson, Books& books, Pricer& pricer) {
  const Decision& decision = lesson.decision;
  for (int i = 0; i < std::min(lesson.queued.size(), decision.predicted.size()); ++i) {
    const double cost = lesson.heads[as_size(i + 1)] / units_[as_size(i + 1)];
    calibration_.learn(lesson.round.id(decision.action), i, cost - decision.predicted[i]);
  }
  const auto rounds = static_cast<std::uint64_t>(books.rounds);
  if (certificate_) {
    certificate_->learn();
    if (rounds % std::max<std::uint64_t>(1, std::bit_floor(rounds) / 16) == 0) {
      books.u = std::max(books.u, certificate_->plain(books.rounds));
    }
  }
  if (decision.estimates.actions() != lesson.round.actions) return;  // not from decide()
  const std::int64_t stride =
      std::min<std::int64_t>(kWindowStride, 1 + books.rounds / kWindowRounds);
  if (books.rounds % stride == 0) window_.add(decision.estimates, units_);
  pricer.foresee(books, window_);
}

void AutoTuning::tell(PolicyState& state) const {
  if (window_.rounds() >= kEnough) {
    state.least = window_.least();
    for (int i = 0; i < state.least.size(); ++i) state.least[i] *= units_[as_size(i + 1)];
  }
  if (!certificate_ || state.rounds == 0) return;
  state.u = certificate_->played(std::max(state.u, certificate_->plain(state.rounds)));
}

void AutoTuning::save(ByteWriter& out) const {
  out.parts(calibration_, window_);
  if (certificate_) certificate_->save(out);
}

void AutoTuning::load(ByteReader& in) {
  in.parts(calibration_, window_);
  if (certificate_) certificate_->load(in);
}

}  // namespace rein
