#include "evaluate/full_information.h"

#include <algorithm>

#include "base/math.h"
#include "base/units.h"

namespace rein {
namespace {

constexpr int kWindowRounds = 512;
// Large, so that the rehearsal spends what greedy play would; finite, so that the spend has a
// slope.
constexpr double kSharpness = 60.0;

Costs rates_in_units(const Shape& shape) {
  Costs rates(static_cast<int>(shape.costs.size()));
  if (shape.budgets.empty()) return rates;
  for (int i = 0; i < rates.size(); ++i) {
    rates[i] = shape.budgets[i] / static_cast<double>(shape.rounds) / unit_of(shape.costs[i].range);
  }
  return rates;
}

Terms terms_of(const Shape& shape) {
  Terms terms;
  terms.actions = shape.actions;
  terms.costs = static_cast<int>(shape.costs.size());
  terms.rounds = shape.rounds;
  terms.rates = rates_in_units(shape);
  terms.setting = shape.budgets.empty() ? Setting::kExpectation : Setting::kKnapsack;
  return terms;
}

Spec sharp_gain() {
  Spec gain("root_t");
  gain.set("factor", {.is = kSharpness});
  return gain;
}

}  // namespace

FullInformation::FullInformation(const Shape& shape)
    : FullInformation(shape, make_oracle(Spec("vaw"), shape).value()) {}

FullInformation::FullInformation(const Shape& shape, std::unique_ptr<Oracle> oracle)
    : units_(units_of(shape)),
      oracle_(std::move(oracle)),
      pricer_(
          make_pricer(Spec(shape.costs.empty() ? "none" : "predicted"), terms_of(shape)).value()),
      gain_(make_gain(sharp_gain(), terms_of(shape)).value()),
      window_(shape.actions, static_cast<int>(shape.costs.size()), kWindowRounds, *gain_,
              explorer_),
      rates_(rates_in_units(shape)) {
  estimates_.prepare(shape.heads(), shape.actions);
  books_.spent = Costs(static_cast<int>(shape.costs.size()));
  lows_ = Costs(books_.spent.size());
  if (shape.budgets.empty()) {
    for (int i = 0; i < lows_.size(); ++i) lows_[i] = shape.costs[i].range.low;
  }
  books_.u = 1e300;  // only the predicted part of the price: there are no errors of exploring
}

int FullInformation::decide(const Round& round) {
  estimates_.set_actions(round.actions);
  scratch_.reset(oracle_->scratch());
  oracle_->predict(round, scratch_, estimates_);
  for (int i = 0; i < lows_.size(); ++i) {
    for (double& cost : estimates_.mean(i + 1)) cost = std::max(cost, lows_[i]);
  }
  Prices prices;
  pricer_->price(books_, prices);
  const double shrink = prices.log_scale == 0.0 ? 1.0 : exp(-prices.log_scale);
  int best = 0;
  double highest = 0.0;
  for (int a = 0; a < round.actions; ++a) {
    double score = estimates_.mean(0)[a] / units_[0] * shrink;
    for (int i = 0; i < prices.scaled.size(); ++i) {
      score -= prices.scaled[i] * estimates_.mean(i + 1)[a] / units_[i + 1];
    }
    if (a == 0 || score > highest) {
      best = a;
      highest = score;
    }
  }
  return best;
}

void FullInformation::learn(const Round& round, const World& world, int action) {
  const auto heads = static_cast<std::size_t>(estimates_.heads());
  window_.add(estimates_, units_);
  double outcomes[1 + kMaxCosts];
  for (int a = 0; a < round.actions; ++a) {
    world.outcome(a, outcome_);
    outcomes[0] = outcome_.reward;
    for (int i = 0; i < outcome_.costs.size(); ++i) {
      outcomes[i + 1] = outcome_.costs[i];
      lows_[i] = std::min(lows_[i], outcome_.costs[i]);
    }
    oracle_->learn(round, a, {outcomes, heads});
  }
  world.outcome(action, outcome_);
  books_.rounds += 1;
  Costs queued(books_.spent.size());
  for (int i = 0; i < queued.size(); ++i) {
    const double cost = outcome_.costs[i] / units_[i + 1];
    books_.spent[i] += cost;
    queued[i] = cost - rates_[i];
  }
  pricer_->learn(books_, queued.span());
  pricer_->foresee(books_, window_);
}

}  // namespace rein
