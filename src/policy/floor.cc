#include "policy/floor.h"

#include <algorithm>
#include <limits>

#include "base/size.h"
#include "policy/common.h"

namespace rein {
namespace {

constexpr double kOfTheBudget = 0.25;  // what the floor alone may spend
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1.0 - 1e-9;

}  // namespace

Floor::Floor(double share, const Costs& rates, const std::vector<bool>& refunds)
    : share_(share), most_(rates) {
  for (int i = 0; i < most_.size(); ++i) {
    const bool limits = share > 0.0 && most_[i] > 0.0 && !refunds[as_size(i)];
    most_[i] = limits ? kOfTheBudget * most_[i] / share : kInfinity;
  }
}

bool Floor::fits(const Estimates& estimates, std::span<const double> units, int action) const {
  for (int i = 0; i < most_.size(); ++i) {
    if (estimates.mean(i + 1)[action] > most_[i] * units[as_size(i + 1)]) return false;
  }
  return true;
}

void Floor::mix(std::span<const double> units, Decision& decision) const {
  const std::span<double> p = decision.probabilities();
  const std::span<const double> scores = decision.scores();
  const auto gets = [&](std::size_t a) {
    return scores[a] > kBarredScore && fits(decision.estimates, units, static_cast<int>(a));
  };
  int count = 0;
  double barred = 0.0;  // their probability, of the order of 1e-17
  for (std::size_t a = 0; a < p.size(); ++a) {
    if (gets(a)) ++count;
    if (!(scores[a] > kBarredScore)) barred += p[a];
  }
  if (count == 0 || barred >= 0.5) return;  // all are barred alike: there is nothing to choose
  const double keep = (1.0 - share_) / (1.0 - barred);
  for (std::size_t a = 0; a < p.size(); ++a) {
    p[a] = scores[a] > kBarredScore ? keep * p[a] + (gets(a) ? share_ / count : 0.0) : 0.0;
  }
}

double Floor::mean_cost(const Estimates& estimates, std::span<const double> units, int cost) const {
  double sum = 0.0;
  int count = 0;
  for (int a = 0; a < estimates.actions(); ++a) {
    if (!fits(estimates, units, a)) continue;
    sum += estimates.mean(cost + 1)[a] / units[as_size(cost + 1)];
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

double squared_weight(const Decision& decision, double floor) {
  const std::span<const double> p = decision.probabilities();
  const std::span<const double> scores = decision.scores();
  const double least = kRounding * floor / static_cast<double>(p.size());
  double sum = 0.0, count = 0.0;
  for (std::size_t a = 0; a < p.size(); ++a) {
    if (!(scores[a] > kBarredScore) || p[a] < least) continue;
    sum += 1.0 / p[a];
    count += 1.0;
  }
  return count > 0.0 ? sum / (count * count) : 1.0;
}

}  // namespace rein
