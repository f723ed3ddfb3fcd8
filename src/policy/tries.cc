#include "policy/tries.h"

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "base/tuned.h"
#include "base/units.h"
#include "estimate/abilities.h"
#include "policy/common.h"
#include "rein/bytes.h"

namespace rein {
Tries::Tries(const Shape& shape, const Terms& terms, double count, const Prior* prior,
             const Oracle* oracle)
    : count_(count),
      prior_(prior),
      oracle_(oracle),
      rates_(terms.rates),
      paced_(terms.paced),
      units_(units_of(shape, counts_positive_part(terms.setting))),
      plays_(as_size(shape.actions)),
      turnover_(shape.costs.size()) {
  for (const CostShape& cost : shape.costs) refunds_.push_back(cost.range.low < 0.0);
}

double Tries::limit(const Books& books, int cost) const {
  const auto rounds = static_cast<double>(books.rounds);
  if (refunds_[as_size(cost)]) {
    return rounds > 0.0 ? tuned::kTriesBudget * turnover_[as_size(cost)] / rounds : 0.0;
  }
  const double budget = rate(books, cost);
  const double unspent = budget * rounds - books.spent[cost] - books.held(cost);
  return tuned::kTriesBudget * (budget + std::max(unspent, 0.0) / std::max(rounds, 1.0));
}

double Tries::rate(const Books& books, int cost) const {
  if (refunds_[as_size(cost)]) return 0.0;
  if (!paced_) return cost < rates_.size() ? rates_[cost] : 0.0;
  const bool known = cost < books.paced.size() && books.rounds > 0;
  return known ? books.paced[cost] / static_cast<double>(books.rounds) : 0.0;
}

double Tries::bought(const Books& books, double rounds) const {
  double share = 1.0;
  for (int i = 0; i < books.spent.size(); ++i) {
    const double budget = rate(books, i);
    if (budget > 0.0 && budget * paid_ < share * books.spent[i]) {
      share = budget * paid_ / books.spent[i];
    }
  }
  return std::max(1.0, share * rounds);
}

bool Tries::is_tried(const Round& round, const Decision& decision, int action, double least) const {
  return decision.scores()[as_size(action)] > kBarredScore &&
         plays_[as_size(round.id(action))] < least;
}

void Tries::mix(const Round& round, const Books& books, Decision& decision) const {
  if (prior_ != nullptr && prior_->declares_reward(round)) return;
  const double rounds = 1.0 + static_cast<double>(books.rounds + books.warm - since_);
  const double n = bought(books, rounds);
  const double count = changes_ > 0 ? tuned::kTriesAgain * count_ : count_;
  const double least = count * std::sqrt(n) / round.actions - tuned::kTriesOwn;
  if (least <= 0.0) return;
  Costs paid(books.spent.size());  // by one try of every action that is to be tried
  double tried = 0.0;
  for (int a = 0; a < round.actions; ++a) {
    if (!is_tried(round, decision, a, least)) continue;
    tried += 1.0;
    for (int i = 0; i < paid.size(); ++i) {
      paid[i] += std::max(decision.estimates.mean(i + 1)[a] / units_[as_size(i + 1)], 0.0);
    }
  }
  if (tried == 0.0) return;
  double q = std::min(count * std::sqrt(n) / (round.actions * rounds), tuned::kTriesMost / tried);
  for (int i = 0; i < paid.size(); ++i) {
    const double most = limit(books, i);
    if (most > 0.0 && q * paid[i] > most) q = most / paid[i];
  }
  const std::span<double> p = decision.probabilities();
  const double keep = 1.0 - q * tried;
  for (int a = 0; a < round.actions; ++a) {
    p[as_size(a)] = keep * p[as_size(a)] + (is_tried(round, decision, a, least) ? q : 0.0);
  }
}

void Tries::learn(const Lesson& lesson, Books& books, Pricer&) {
  const auto seen = oracle_ == nullptr ? std::nullopt : oracle_->abilities().change();
  if (seen && seen->times != changes_) {
    changes_ = seen->times;
    since_ = books.rounds + books.warm;
    std::ranges::fill(plays_, 0.0);
  }
  if (!lesson.first && !lesson.warm) return;
  plays_[as_size(lesson.round.id(lesson.decision.action))] += 1.0;
  if (lesson.warm) return;
  bool paid = false;
  for (std::size_t i = 1; i < lesson.heads.size(); ++i) {
    if (!lesson.has(static_cast<int>(i))) continue;
    paid = paid || lesson.heads[i] != 0.0;
    turnover_[i - 1] += std::max(lesson.heads[i], 0.0) / units_[i];
  }
  if (paid) paid_ += 1.0;
}

void Tries::save(ByteWriter& out) const {
  out.tag("tries");
  out.parts(plays_, turnover_, paid_);
  out.i64(changes_);
  out.i64(since_);
}

void Tries::load(ByteReader& in) {
  in.tag("tries");
  for (double& plays : in.saved(plays_, static_cast<int>(plays_.size()))) plays = in.f64();
  in.parts(turnover_, paid_);
  changes_ = in.count();
  since_ = in.count();
}

}  // namespace rein
