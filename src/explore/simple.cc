#include "explore/simple.h"

#include <algorithm>

#include "base/math.h"
#include "base/spec_reader.h"
#include "explore/distribution.h"

namespace rein {
namespace {

template <class T>
Result<std::unique_ptr<Explorer>> make_plain(const Spec& spec) {
  if (auto done = SpecReader(spec, "explorer spec").finish(); !done) return done.failure();
  return std::make_unique<T>();
}

}  // namespace

Result<std::unique_ptr<Explorer>> Greedy::make(const Spec& spec) {
  return make_plain<Greedy>(spec);
}

void Greedy::explore(std::span<const double> scores, double,
                     std::span<double> probabilities) const {
  put_on_best(scores, probabilities);
}

Result<std::unique_ptr<Explorer>> Epsilon::make(const Spec& spec) {
  SpecReader read(spec, "explorer spec");
  const double epsilon = read.number("epsilon", 0.1, {.low = 0.0, .high = 1.0});
  if (auto done = read.finish(); !done) return done.failure();
  return std::make_unique<Epsilon>(epsilon);
}

void Epsilon::explore(std::span<const double> scores, double,
                      std::span<double> probabilities) const {
  put_on_best(scores, probabilities);
  const auto barred = std::ranges::count_if(scores, [](double s) { return s <= kBarredScore; });
  const auto tried = static_cast<double>(scores.size()) - static_cast<double>(barred);
  if (tried == 0.0) return;
  const double share = epsilon_ / tried;
  for (std::size_t a = 0; a < scores.size(); ++a) {
    const double own = (1.0 - epsilon_) * probabilities[a];
    probabilities[a] = scores[a] <= kBarredScore ? own : share + own;
  }
  normalise(probabilities);
}

Result<std::unique_ptr<Explorer>> Softmax::make(const Spec& spec) {
  return make_plain<Softmax>(spec);
}

void Softmax::explore(std::span<const double> scores, double gamma,
                      std::span<double> probabilities) const {
  const double best = *std::max_element(scores.begin(), scores.end());
  for (std::size_t a = 0; a < scores.size(); ++a) {
    probabilities[a] = exp(-weigh(gamma, best - scores[a]));
  }
  normalise(probabilities);
}

Result<std::unique_ptr<Explorer>> Uniform::make(const Spec& spec) {
  return make_plain<Uniform>(spec);
}

void Uniform::explore(std::span<const double> scores, double,
                      std::span<double> probabilities) const {
  const double share = 1.0 / static_cast<double>(scores.size());
  std::fill(probabilities.begin(), probabilities.end(), share);
}

}  // namespace rein
