#include "evaluate/fixed_mix.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "solve/mixture.h"

namespace rein {
namespace {

constexpr double kTolerance = 1e-12;  // tolerance of a rate, in units

}  // namespace

FixedMix best_fixed_mix(std::span<const double> means, int actions, std::span<const double> rates) {
  const std::size_t k = static_cast<std::size_t>(actions);
  check(actions >= 1 && means.size() == (rates.size() + 1) * k, "there is a mean of every head");
  // Scaled by the largest mean, for the solver's tolerances.
  std::vector<double> values(means.begin(), means.end());
  std::vector<double> caps(rates.begin(), rates.end());
  for (std::size_t head = 0; head <= rates.size(); ++head) {
    const std::span<double> row(values.data() + head * k, k);
    double unit = 0.0;
    for (const double value : row) unit = std::max(unit, std::abs(value));
    if (unit == 0.0) continue;
    for (double& value : row) value /= unit;
    if (head > 0) caps[head - 1] /= unit;
  }
  Mixture mixture(actions, static_cast<int>(rates.size()));
  const MixtureAnswer answer = mixture.solve(values, actions, caps);

  FixedMix mix;
  mix.probabilities.assign(mixture.probabilities().begin(), mixture.probabilities().end());
  mix.feasible = answer.relaxed <= kTolerance;
  mix.costs = Costs(static_cast<int>(rates.size()));
  for (std::size_t a = 0; a < k; ++a) {
    const double p = mix.probabilities[a];
    mix.reward += p * means[a];
    for (int i = 0; i < mix.costs.size(); ++i) {
      mix.costs[i] += p * means[static_cast<std::size_t>(i + 1) * k + a];
    }
  }
  return mix;
}

}  // namespace rein
