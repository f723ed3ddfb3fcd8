#include "tuning/shared_part.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/math.h"
#include "base/size.h"
#include "base/tuned.h"
#include "base/within.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kCertain = 40.0;  // odds that count as certain, as a logarithm
constexpr double kLargest = 1e50;  // numbers whose squares can be added up

double odds_of(double logarithm) {
  return 1.0 / (1.0 + exp(std::clamp(logarithm, -kCertain, kCertain)));
}

// After every play at first.
bool is_due(double plays) {
  const auto n = static_cast<std::uint64_t>(plays);
  return n % std::max<std::uint64_t>(1, std::bit_floor(n) / tuned::kSolveRounds) == 0;
}

}  // namespace

bool SharedPart::fits(const Shape& shape) {
  return shape.features == 0 && shape.context > 0 &&
         SharedRegression::fits(shape.actions, shape.context);
}

SharedPart::SharedPart(const Shape& shape, std::vector<double> units)
    : features_(shape.context + 1),
      reward_(shape.reward),
      units_(std::move(units)),
      regression_(shape.actions, shape.context),
      zeros_(as_size(shape.actions)),
      costs_(as_size(shape.actions) * shape.costs.size()),
      means_(shape.costs.size()),
      losses_(2 * units_.size()),
      odds_(units_.size(), 0.5) {
  odds_[0] = odds_of(-tuned::kOdds);
}

void SharedPart::set_share(double share) {
  if (share > 0.0 && share_ == 0.0 && regression_.plays() > 0.0) regression_.fit();
  share_ = share;
}

double SharedPart::fade(int id) const {
  return 1.0 - std::clamp(regression_.plays(id) / features_ - 1.0, 0.0, 1.0);
}

double SharedPart::weight(int id) const {
  if (!is_active() || zeros_[as_size(id)] != 0.0) return 0.0;
  if (regression_.plays() < tuned::kSharedFirstPlays) return 0.0;
  return share_ * fade(id);
}

bool SharedPart::teaches(int id, bool nothing) const {
  return zeros_[as_size(id)] != 0.0 ? !nothing : fade(id) > 0.0;
}

double SharedPart::level(const Round& round, int action, int cost, const Prior& prior) const {
  if (prior.declares_cost(round, cost)) return prior.without_regression(round, action, cost);
  const int id = round.id(action);
  const double sum = costs_[as_size(id) * means_.size() + as_size(cost)];
  return (sum + means_[as_size(cost)] / actions_) / (1.0 + regression_.plays(id));
}

double SharedPart::moved(const Round& round, int action, int cost, double alone,
                         const Prior& prior) const {
  const int id = round.id(action);
  const double weight = this->weight(id) * odds_[as_size(cost) + 1];
  if (weight == 0.0 || regression_.plays(id) == 0.0) return alone;
  return std::fma(weight, level(round, action, cost, prior) - alone, alone);
}

void SharedPart::apply(const Round& round, Estimates& estimates, const Prior& prior) const {
  if (!is_active() || !all_within(round.context, kLargest)) return;
  const std::span<double> reward = estimates.mean(0);
  for (int a = 0; a < round.actions; ++a) {
    const int id = round.id(a);
    if (!moves(id)) continue;
    const double other = units_[0] * regression_.predict(id, round.context);
    const double mean =
        std::fma(weight(id) * odds_[0], other - reward[as_size(a)], reward[as_size(a)]);
    reward[as_size(a)] = std::clamp(mean, reward_.low, reward_.high);
    for (int i = 0; i < static_cast<int>(means_.size()); ++i) {
      const double unit = units_[as_size(i) + 1];
      double& cost = estimates.mean(i + 1)[as_size(a)];
      cost = unit * moved(round, a, i, cost / unit, prior);
    }
  }
}

void SharedPart::judge(int head, double outcome, double other, double alone) {
  double* loss = losses_.data() + 2 * as_size(head);
  loss[0] += (outcome - other) * (outcome - other);
  loss[1] += (outcome - alone) * (outcome - alone);
  const double apart = loss[0] - loss[1];
  if (apart == 0.0) return;
  const double belief = head == 0 ? tuned::kOdds : 0.0;
  odds_[as_size(head)] = odds_of(0.5 * judged_ * apart / std::min(loss[0], loss[1]) - belief);
}

// Called before regression_ knows the play.
void SharedPart::add_cost(int id, int cost, double paid) {
  double& sum = costs_[as_size(id) * means_.size() + as_size(cost)];
  const double plays = regression_.plays(id);
  means_[as_size(cost)] += (sum + paid) / (plays + 1.0) - (plays == 0.0 ? 0.0 : sum / plays);
  sum += paid;
}

void SharedPart::learn(const Round& round, int action, std::span<const double> outcome,
                       std::span<const double> alone, const Prior& prior) {
  const int id = round.id(action);
  const bool nothing = std::ranges::all_of(outcome, [](double y) { return y == 0.0; });
  if (nothing && regression_.plays(id) == 0.0) {
    zeros_[as_size(id)] = 1.0;
    return;
  }
  if (!all_within(round.context, kLargest)) return;
  zeros_[as_size(id)] = 0.0;
  if (is_active() && regression_.plays() >= tuned::kSharedFirstPlays) {
    judged_ += 1.0;
    judge(0, outcome[0], regression_.predict(id, round.context), alone[0]);
    for (std::size_t h = 1; h < units_.size() && regression_.plays(id) > 0.0; ++h) {
      const int head = static_cast<int>(h);
      judge(head, outcome[h], level(round, action, head - 1, prior), alone[h]);
    }
  }
  if (regression_.plays(id) == 0.0) actions_ += 1.0;
  for (std::size_t h = 1; h < units_.size(); ++h) add_cost(id, static_cast<int>(h) - 1, outcome[h]);
  regression_.add(id, round.context, outcome[0]);
  if (is_active() && is_due(regression_.plays())) regression_.fit();
}

void SharedPart::save(ByteWriter& out) const {
  out.state("shared part", share_, regression_, zeros_, costs_, means_, actions_, judged_, losses_,
            odds_);
}

void SharedPart::load(ByteReader& in) {
  const auto actions = static_cast<int>(zeros_.size());
  in.tag("shared part");
  in.parts(share_, regression_, in.saved(zeros_, actions), in.saved(costs_, actions), means_,
           actions_, judged_, losses_, odds_);
  in.put_back();
}

}  // namespace rein
