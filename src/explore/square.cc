#include "explore/square.h"

#include <algorithm>

#include "base/spec_reader.h"
#include "explore/distribution.h"

namespace rein {

Result<std::unique_ptr<Explorer>> Square::make(const Spec& spec) {
  SpecReader read(spec, "explorer spec");
  const double mu = read.number("mu", 0.0, {.above = 0.0});
  if (auto done = read.finish(); !done) return done.failure();
  return std::make_unique<Square>(mu);
}

void Square::explore(std::span<const double> scores, double gamma,
                     std::span<double> probabilities) const {
  const std::size_t best = first_best(scores);
  // With mu below K the best action could get a negative probability.
  const double k = static_cast<double>(scores.size());
  const double mu = std::max(mu_, k);
  Sum others;
  for (std::size_t a = 0; a < scores.size(); ++a) {
    probabilities[a] = 1.0 / (mu + weigh(gamma, scores[best] - scores[a]));
    if (a != best) others.add(probabilities[a]);
  }
  // Rounding must not give the best action less than another.
  probabilities[best] = std::max(others.rest_of_one(), probabilities[best]);
}

}  // namespace rein
