#include "explore/igw.h"

#include <algorithm>

#include "base/kernels.h"
#include "base/spec_reader.h"
#include "explore/distribution.h"

namespace rein {

Result<std::unique_ptr<Explorer>> Igw::make(const Spec& spec) {
  if (auto done = SpecReader(spec, "explorer spec").finish(); !done) return done.failure();
  return std::make_unique<Igw>();
}

// h(lambda) = sum 1 / (lambda + c_a) decreases from h(1) >= 1. 1 / h is concave. So Newton's method
// for 1 / h = 1 approaches the root from the left and never passes it: 10 steps at K = 10^4, 13 at
// 10^6. Near the root a step reduces the excess h - 1 to at most sqrt(K) / 3 times its square, so
// no step is needed after one from 1e-8. A further check would only see the rounding of a sum of K
// numbers.
double igw_normaliser(std::span<const double> c, int* steps) {
  const int n = static_cast<int>(c.size());
  double lambda = 1.0;
  double excess = 1.0;
  int step = 0;
  for (; step < 64 && excess > 1e-8; ++step) {
    double h = 0.0;
    double slope = 0.0;
    kernels().inverse_sums(c.data(), n, lambda, &h, &slope);
    excess = h - 1.0;
    if (excess <= 1e-13) break;
    const double next = lambda + h * excess / slope;
    if (!(next > lambda)) break;
    lambda = next;
  }
  if (steps) *steps = step;
  return lambda;
}

void Igw::explore(std::span<const double> scores, double gamma,
                  std::span<double> probabilities) const {
  // The probabilities hold c until they are computed.
  const double best = *std::max_element(scores.begin(), scores.end());
  for (std::size_t a = 0; a < scores.size(); ++a) {
    probabilities[a] = weigh(2.0 * gamma, best - scores[a]);
  }
  const double lambda = igw_normaliser(probabilities);
  for (double& p : probabilities) p = 1.0 / (lambda + p);
  normalise(probabilities);
}

}  // namespace rein
