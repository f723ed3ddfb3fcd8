// Helpers for tests of explorers: every explorer, scores of every kind, and one call.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "rein/catalog.h"
#include "explore/explorer.h"
#include "rein/rng.h"

namespace rein {

inline std::vector<double> explore(const std::string& spec, const std::vector<double>& scores,
                                   double gamma) {
  std::vector<double> p(scores.size(), -1.0);
  make_explorer(parse_spec(spec).value()).value()->explore(scores, gamma, p);
  return p;
}

// The table's entries as they stand, and a few with their options.
inline std::vector<std::string> explorer_specs() {
  std::vector<std::string> specs = {"square(mu=1)", "square(mu=50)", "epsilon(epsilon=0)",
                                    "epsilon(epsilon=1)", "epsilon(epsilon=1e-9)"};
  for (const Entry& entry : explorers()) specs.emplace_back(entry.name);
  return specs;
}

// Scores of one kind: 0 spread, 1 many ties, 2 all equal, 3 huge gaps, 4 tiny gaps, 5 far from 0,
// 6 so large that a gap outgrows a double.
inline constexpr int kKinds = 7;
inline std::vector<double> scores_of(int kind, int actions, Rng& rng) {
  std::vector<double> scores(static_cast<std::size_t>(actions));
  for (double& score : scores) {
    const double x = 2.0 * rng.uniform() - 1.0;
    if (kind == 0) score = x;
    if (kind == 1) score = std::floor(3.0 * x) / 4.0;
    if (kind == 2) score = 0.25;
    if (kind == 3) score = x * 1e12;
    if (kind == 4) score = x * 1e-14;
    if (kind == 5) score = 1e6 + x;
    if (kind == 6) score = x * 1.7e308;
  }
  return scores;
}

inline std::vector<int> action_counts() { return {1, 2, 3, 7, 8, 9, 64, 1000}; }
inline std::vector<double> gammas() { return {0.0, 1e-9, 0.5, 30.0, 1e6, 1e12, 1e308}; }

// The sum in higher precision.
inline double exact_sum(const std::vector<double>& p) {
  long double sum = 0.0L;
  for (double x : p) sum += x;
  return static_cast<double>(sum);
}

}  // namespace rein
