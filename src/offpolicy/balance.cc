#include "offpolicy/balance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math.h"

namespace rein {
namespace {

constexpr double kFewestCarriers = 30.0;
constexpr double kLevel = 0.01;
constexpr double kPi = 3.141592653589793;

}  // namespace

void add_balance(const BalanceRow& row, std::span<double> sums) {
  const std::size_t tests = sums.size() / 3;
  const std::size_t actions = row.target.size();
  const auto add = [&](std::size_t test, double value) {
    const double square = value * value;
    sums[test] += value;
    sums[tests + test] += square;
    sums[2 * tests + test] += square * square;
  };
  for (std::size_t a = 0; a < actions; ++a) {
    const double now = a == row.played ? row.ratio : 0.0;
    if (now != row.target[a]) add(a, row.weight * (now - row.target[a]));
  }
  const double off = row.weight * (row.ratio - 1.0);
  for (std::size_t j = 0; j < tests - actions; ++j)
    add(actions + j, off * (row.context[j] - row.center[j]));
}

void add_log_balance(const BalanceRow& row, double inverse, std::size_t features,
                     std::span<double> sums) {
  const std::size_t tests = 1 + features;
  const std::span<double> own = sums.subspan(3 * tests * (1 + row.played), 3 * tests);
  for (std::size_t test = 0; test < tests; ++test) {
    const double x = row.weight * (test == 0 ? 1.0 : row.context[test - 1] - row.center[test - 1]);
    const double other = -x;
    const double played = (inverse - 1.0) * x;
    const double powers[] = {other, other * other, other * other * other * other};
    const double mine[] = {played, played * played, played * played * played * played};
    for (std::size_t power = 0; power < 3; ++power) {
      sums[power * tests + test] += powers[power];
      own[power * tests + test] += mine[power] - powers[power];
    }
  }
}

double log_balance_of(std::span<const double> sums, std::size_t features, std::size_t action,
                      double n) {
  const std::size_t size = 3 * (1 + features);
  std::vector<double> of(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(size));
  for (std::size_t i = 0; i < size; ++i) of[i] += sums[size * (1 + action) + i];
  return balance_of(of, n);
}

double balance_of(std::span<const double> sums, double n) {
  const std::size_t tests = sums.size() / 3;
  double out = 0.0;
  for (std::size_t test = 0; test < tests; ++test) {
    const double sum = sums[test];
    const double square = sums[tests + test];
    const double spread = square - sum * sum / n;
    if (!(spread > 1e-12 * square)) continue;  // rounding, or nothing at all
    if (square * square < kFewestCarriers * sums[2 * tests + test]) continue;
    out = std::max(out, std::abs(sum) / std::sqrt(spread));
  }
  return out;
}

// The two-sided normal quantile, by the expansion of small tails.
double balance_limit(std::size_t tests) {
  const double cost = -log(0.5 * kLevel / static_cast<double>(tests));
  return std::sqrt(2.0 * cost - log(4.0 * kPi * cost));
}

}  // namespace rein
