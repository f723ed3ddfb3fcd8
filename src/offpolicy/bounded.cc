#include "offpolicy/bounded.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "base/quantiles.h"

namespace rein {
namespace {

constexpr int kMostSteps = 100;  // of a search; each halves an interval or is a step of Newton's
constexpr double kNear = 1e-12;  // relative: a search ends
// log(2 / 0.05): a capital over 40 refutes a mean on one side, at 2.5 %.
constexpr double kLogCapital95 = 3.6888794541139363;

// Different numbers, and how often each comes.
using Counts = std::vector<std::pair<double, double>>;

Counts counted(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  Counts out;
  for (const double x : numbers) {
    if (out.empty() || out.back().first != x) out.emplace_back(x, 0.0);
    out.back().second += 1.0;
  }
  return out;
}

// The mean of the numbers and of so many zeros.
double mean_with_zeros(const Counts& numbers, double zeros) {
  double sum = 0.0;
  double count = zeros;
  for (const auto& [x, times] : numbers) {
    sum += times * x;
    count += times;
  }
  return sum / count;
}

// sum (x_i - q) E_i - q E_0, whose sign is that of T - q. Its cumulant function is
// K(s) = -sum ln(1 - (x_i - q) s) - ln(1 + q s).
struct Tilted {
  double cumulant = 0.0, slope = 0.0, curvature = 0.0;  // K, K', K''
  Tilted(const Counts& numbers, double q, double s) {
    add(-q, 1.0, s);
    for (const auto& [x, times] : numbers) add(x - q, times, s);
  }
  void add(double c, double times, double s) {
    const double each = c / (1.0 - c * s);
    cumulant -= times * log(1.0 - c * s);
    slope += times * each;
    curvature += times * each * each;
  }
};

// P(T < q) as the quantile of the normal law with that chance, by the saddlepoint approximation
// w + ln(u / w) / w (Barndorff-Nielsen, 1991). REQUIRES that q is below the mean of T.
double quantile_at(const Counts& numbers, double q) {
  // The saddlepoint, K'(s) = 0. K' rises from -infinity at s = -1 / q to above 0 at s = 0.
  double low = -1.0 / q;
  double high = 0.0;
  double s = low / 2.0;
  for (int i = 0; i < kMostSteps; ++i) {
    const Tilted at(numbers, q, s);
    (at.slope > 0.0 ? high : low) = s;
    const double next = s - at.slope / at.curvature;
    const double step = next > low && next < high ? next : (low + high) / 2.0;
    if (std::abs(step - s) <= kNear * std::abs(s)) break;
    s = step;
  }
  const Tilted at(numbers, q, s);
  const double w = -std::sqrt(std::max(0.0, -2.0 * at.cumulant));
  const double u = s * std::sqrt(at.curvature);
  // Near the mean of T both vanish, and so does the quantile.
  return w < 0.0 && u < 0.0 ? w + log(u / w) / w : 0.0;
}

double lowest(const Counts& numbers) {
  double low = 0.0;
  double high = mean_with_zeros(numbers, 1.0);  // of T
  if (!(high > 0.0)) return 0.0;
  for (int i = 0; i < kMostSteps && high - low > kNear * high; ++i) {
    const double middle = (low + high) / 2.0;
    (quantile_at(numbers, middle) > -kNormal95 ? high : low) = middle;
  }
  return low;
}

// The logarithm of the largest capital, less that of the number of bets.
double capital(const Counts& numbers, double mean) {
  double best = -HUGE_VAL;
  std::vector<double> logs;
  for (double share = 0.95; logs.empty() || share > 0.2 * mean; share /= 2.0) {
    double sum = 0.0;
    for (const auto& [x, times] : numbers) sum += times * log(1.0 + share / mean * (x - mean));
    logs.push_back(sum);
    best = std::max(best, sum);
  }
  double total = 0.0;
  for (const double capital_of_bet : logs) total += exp(capital_of_bet - best);
  return best + log(total / static_cast<double>(logs.size()));
}

double lowest_by_bets(const Counts& numbers) {
  double low = 0.0;
  double high = mean_with_zeros(numbers, 0.0);
  if (!(high > 0.0)) return 0.0;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2.0;
    (capital(numbers, middle) > kLogCapital95 ? low : high) = middle;
  }
  return low;
}

// The ends by a function that gives the lower one.
template <typename Lowest>
Ends both(std::vector<double> numbers, Lowest lowest) {
  std::vector<double> rest(numbers);
  for (double& x : rest) x = 1.0 - x;
  return {lowest(counted(std::move(numbers))), 1.0 - lowest(counted(std::move(rest)))};
}

}  // namespace

Ends independent95(std::vector<double> numbers) { return both(std::move(numbers), lowest); }

Ends independent95(double ones, double count) {
  const double zeros = count - ones;
  return {lowest({{0.0, zeros}, {1.0, ones}}), 1.0 - lowest({{0.0, ones}, {1.0, zeros}})};
}

Ends bets95(std::vector<double> numbers) { return both(std::move(numbers), lowest_by_bets); }

}  // namespace rein
