// Small tools that explorers share.
#pragma once

#include <algorithm>
#include <span>

namespace rein {

// A compensated sum in the order of the actions. A plain sum of a million equal numbers is off by
// 8e-12, but probabilities must sum to 1 within 1e-12.
class Sum {
 public:
  void add(double x) {
    const double next = total_ + x;
    const double added = next - total_;
    lost_ += (total_ - (next - added)) + (x - added);
    total_ = next;
  }
  double value() const { return total_ + lost_; }
  double rest_of_one() const { return (1.0 - total_) - lost_; }

 private:
  double total_ = 0.0;
  double lost_ = 0.0;
};

// Divides by the sum.
inline void normalise(std::span<double> p) {
  Sum sum;
  for (double x : p) sum.add(x);
  const double total = sum.value();
  for (double& x : p) x /= total;
}

// The first action with the largest score. The largest score is found first, without branches,
// because a processor cannot predict which action is the best.
inline std::size_t first_best(std::span<const double> scores) {
  double most[4] = {scores[0], scores[0], scores[0],
                    scores[0]};  // no comparison waits for the last
  const auto raise = [&](std::size_t i, double score) {
    most[i] = score > most[i] ? score : most[i];
  };
  std::size_t a = 0;
  for (; a + 4 <= scores.size(); a += 4) {
    for (std::size_t i = 0; i < 4; ++i) raise(i, scores[a + i]);
  }
  for (; a < scores.size(); ++a) raise(0, scores[a]);
  for (std::size_t i = 1; i < 4; ++i) raise(0, most[i]);
  const double best = most[0];
  const auto found = std::find(scores.begin(), scores.end(), best);
  return found == scores.end() ? 0 : static_cast<std::size_t>(found - scores.begin());  // NaN
}

// gamma times gap, at most 1e300. 0 if either is 0, even if the gap overflowed a double.
inline double weigh(double gamma, double gap) {
  constexpr double kMost = 1e300;
  const double c = gamma * gap;
  return c < kMost ? c : (gamma > 0.0 && gap > 0.0 ? kMost : 0.0);
}

// Puts all of the mass on the largest score; exact ties share it equally.
inline void put_on_best(std::span<const double> scores, std::span<double> p) {
  const double best = *std::max_element(scores.begin(), scores.end());
  const auto ties = static_cast<double>(std::count(scores.begin(), scores.end(), best));
  for (std::size_t a = 0; a < scores.size(); ++a) p[a] = scores[a] == best ? 1.0 / ties : 0.0;
}

}  // namespace rein
