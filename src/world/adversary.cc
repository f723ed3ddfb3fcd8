#include "world/adversary.h"

#include <algorithm>

#include "base/kernels.h"
#include "base/size.h"

namespace rein {
Adversary::Adversary(Target target, const Shape& shape)
    : target_(target),
      features_(shape.features),
      truth_(shape.truth),
      means_(as_size(shape.heads())),
      queue_(shape.costs.size()),
      rate_(shape.budgets) {
  for (double& rate : rate_) rate /= static_cast<double>(shape.rounds);
  rate_.resize(queue_.size());
  if (target == Target::kQueue) return;
  factor_.resize(packed_size(features_));
  for (int i = 0; i < features_; ++i) factor_[packed_at(features_, i, i)] = 1.0;
  const std::size_t lanes = as_size(round_up_to_lanes(shape.actions));
  columns_.resize(lanes * as_size(features_));  // lanes after the last action stay zero
  squares_.resize(lanes);
  zeros_.resize(as_size(features_));
  dots_.resize(lanes);
  work_.resize(update_work(features_));
}

double Adversary::score(const Round& round) {
  return target_ == Target::kUncertainty ? uncertainty(round) : temptation(round);
}

double Adversary::uncertainty(const Round& round) {
  const std::size_t d = as_size(features_);
  const int lanes = round_up_to_lanes(round.actions);
  for (int a = 0; a < round.actions; ++a) {
    const double* row = round.features.data() + as_size(a) * d;
    double* lane = columns_.data() + as_size(a / kLanes) * d * kLanes + a % kLanes;
    for (std::size_t j = 0; j < d; ++j) lane[j * kLanes] = row[j];
  }
  kernels().solve(factor_.data(), features_, columns_.data(), lanes / kLanes, zeros_.data(), 1,
                  squares_.data(), dots_.data());
  double sum = 0.0;
  for (int a = 0; a < round.actions; ++a) sum += squares_[a];
  return sum;
}

double Adversary::temptation(const Round& round) {
  const auto longest_queue = std::max_element(queue_.begin(), queue_.end());
  if (*longest_queue <= 0.0) return 0.0;
  const std::size_t head = 1 + as_size(longest_queue - queue_.begin());
  double reward = -1e300;
  double cost = 0.0;
  for (int a = 0; a < round.actions; ++a) {
    truth_->evaluate(0, round, a, means_);
    if (means_[0] <= reward) continue;
    reward = means_[0];
    cost = means_[head];
  }
  return cost;
}

void Adversary::observe(const Round& round, int action, const Outcome& outcome) {
  for (int i = 0; i < outcome.costs.size(); ++i) queue_[i] += outcome.costs[i] - rate_[i];
  if (target_ == Target::kQueue) return;
  const double* phi = round.features.data() + as_size(action) * as_size(features_);
  kernels().update(factor_.data(), features_, phi, nullptr, 0, nullptr, work_.data(), nullptr);
}

}  // namespace rein
