#include "estimate/linear.h"

#include <algorithm>
#include <cmath>

#include "base/kernels.h"
#include "base/size.h"

namespace rein {
namespace {

// Rows that are scored for every head while they are in the L1 cache.
constexpr int kRows = 64;

double dot_row(const double* row, const double* weights, int n) {
  double out;
  kernels().dots(row, 0, 1, n, weights, &out);
  return out;
}

double sparse_row(const SparseRows& rows, int action, const double* weights) {
  const int begin = rows.begin[action];
  return kernels().sparse_dot(rows.index.data() + begin, rows.value.data() + begin,
                              rows.begin[action + 1] - begin, weights);
}

}  // namespace

std::size_t LinearScores::scratch() const {
  if (map_.kind() != FeatureMap::Kind::kProduct) return 0;
  return as_size(heads_) * as_size(map_.features());
}

double LinearScores::base(const Round& round, const double* theta) const {
  double total = map_.bias() ? theta[map_.size() - 1] : 0.0;
  if (map_.context() > 0) total += dot_row(theta, round.context.data(), map_.context());
  return total;
}

const double* LinearScores::slopes(const Round& round, const double* theta, double* folded) const {
  const double* features = theta + map_.context();
  if (map_.kind() != FeatureMap::Kind::kProduct) return features;
  kernels().fold(features, theta + map_.products(), map_.context(), map_.features(),
                 round.context.data(), folded);
  return folded;
}

double LinearScores::sparse_score(const Round& round, int action, const double* theta) const {
  double total = sparse_row(round.sparse, action, theta + map_.context());
  if (map_.kind() == FeatureMap::Kind::kProduct) {
    const double* products = theta + map_.products();
    for (double x : round.context) {
      total = std::fma(x, sparse_row(round.sparse, action, products), total);
      products += map_.features();
    }
  }
  return total;
}

void LinearScores::all(const Round& round, const double* theta, Scratch& scratch,
                       Estimates& out) const {
  if (map_.kind() == FeatureMap::Kind::kPerAction) return score_sets(round, theta, out);
  double bases[1 + kMaxCosts];
  for (int h = 0; h < heads_; ++h) bases[h] = base(round, theta + at(0, h));
  if (round.features.empty()) {
    for (int h = 0; h < heads_; ++h) {
      for (int a = 0; a < round.actions; ++a) {
        out.mean(h)[a] = sparse_score(round, a, theta + at(0, h)) + bases[h];
      }
    }
    return;
  }
  const double* weights[1 + kMaxCosts];
  const std::span<double> folded = scratch.take(this->scratch());  // empty without products
  const std::size_t size = as_size(map_.features());
  for (int h = 0; h < heads_; ++h) {
    double* own = folded.empty() ? nullptr : folded.data() + as_size(h) * size;
    weights[h] = slopes(round, theta + at(0, h), own);
  }
  for (int first = 0; first < round.actions; first += kRows) {
    const int count = std::min(kRows, round.actions - first);
    const double* rows = round.features.data() + as_size(first) * size;
    for (int h = 0; h < heads_; ++h) {
      double* scores = out.mean(h).data() + first;
      kernels().dots(rows, size, count, map_.features(), weights[h], scores);
      for (int a = 0; a < count; ++a) scores[a] += bases[h];
    }
  }
}

// Parameters per action: there are no products, and actions share only the context.
void LinearScores::score_sets(const Round& round, const double* theta, Estimates& out) const {
  for (int h = 0; h < heads_; ++h) {
    const std::span<double> scores = out.mean(h);
    if (map_.features() == 0 && round.ids.empty()) {  // the parameters themselves are the rows
      const std::size_t stride = at(1, 0);
      kernels().dots(theta + at(0, h), stride, round.actions, map_.context(), round.context.data(),
                     scores.data());
      if (!map_.bias()) continue;
      for (int a = 0; a < round.actions; ++a)
        scores[a] += theta[at(a, h) + as_size(map_.size()) - 1];
      continue;
    }
    for (int a = 0; a < round.actions; ++a) {
      scores[a] = score(round, a, theta + at(map_.set_of(round, a), h), nullptr);
    }
  }
}

double LinearScores::score(const Round& round, int action, const double* theta,
                           double* folded) const {
  const double fixed = base(round, theta);
  if (map_.features() == 0) return fixed;
  if (round.features.empty()) return sparse_score(round, action, theta) + fixed;
  const double* row = round.features.data() + as_size(action) * as_size(map_.features());
  return dot_row(row, slopes(round, theta, folded), map_.features()) + fixed;
}

void LinearScores::one(const Round& round, int action, const double* theta, double* folded,
                       std::span<double> out) const {
  const int set = map_.set_of(round, action);
  for (int h = 0; h < heads_; ++h) out[h] = score(round, action, theta + at(set, h), folded);
}

}  // namespace rein
