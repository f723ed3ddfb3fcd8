#include "solve/mixture.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/size.h"
#include "solve/lp.h"

namespace rein {
namespace {

// Everything is scaled to about 1. A column enters the basis only if it gains more than kGain. A
// pivot must exceed kPivot. v below kLeastViolation is rounding.
constexpr double kGain = 1e-12;
constexpr double kPivot = 1e-9;
constexpr double kLeastViolation = 1e-12;
// The tolerance of feasibility for CLP, whose own tolerance is 1e-10.
constexpr double kClpFeasible = 1e-9;

}  // namespace

Mixture::Mixture(int most_actions, int costs)
    : costs_(costs), stride_(most_actions + costs + 2), p_(as_size(most_actions)) {
  check(most_actions >= 1 && costs >= 0 && costs <= kMaxCosts, "a Mixture has actions");
  if (costs < 2) return;
  table_.resize(as_size(costs + 2) * as_size(stride_));
  basis_.resize(as_size(costs + 1));
  banned_.resize(as_size(stride_));
}

MixtureAnswer Mixture::solve(std::span<const double> values, int actions,
                             std::span<const double> caps) {
  check(actions >= 1 && as_size(actions) <= p_.size(), "a Mixture was made for these actions");
  check(values.size() >= as_size(actions) * as_size(1 + costs_), "a Mixture needs every mean");
  check(caps.size() == as_size(costs_), "a Mixture needs one cap per cost");
  actions_ = actions;
  std::fill_n(p_.begin(), actions, 0.0);
  if (costs_ == 0) return solve_free(values);
  if (costs_ == 1) return solve_one(values, caps[0]);
  return solve_many(values, caps);
}

MixtureAnswer Mixture::solve_free(std::span<const double> values) {
  const auto best = std::max_element(values.begin(), values.begin() + actions_);
  p_[as_size(static_cast<int>(best - values.begin()))] = 1.0;
  return {.value = *best};
}

MixtureAnswer Mixture::solve_one(std::span<const double> values, double cap) {
  const double* f = values.data();
  const double* g = f + actions_;
  const double least = *std::min_element(g, g + actions_);
  const double relaxed = std::max(0.0, least - cap);
  const double limit = std::max(cap, least);
  // `in` is the best action within the limit; `out` is the best of all, if it is beyond the limit.
  int in = -1;
  int out = 0;
  for (int a = 0; a < actions_; ++a) {
    if (g[a] <= limit && (in < 0 || f[a] > f[in])) in = a;
    if (f[a] > f[out]) out = a;
  }
  if (g[out] <= limit || f[out] <= f[in] || relaxed > 0.0) {
    p_[as_size(in)] = 1.0;
    return {.value = f[in], .relaxed = relaxed};
  }
  // The line through `in` and `out` has slope `price`; an action above it replaces one of them.
  // Every step lowers the dual f - price (g - limit) of the best action, so no pair comes twice.
  for (int step = 0; step <= actions_; ++step) {
    const double price = (f[out] - f[in]) / (g[out] - g[in]);
    const double line = f[in] - price * g[in];
    int above = -1;
    double most = line + kGain * std::max(1.0, std::abs(line));
    for (int a = 0; a < actions_; ++a) {
      const double reach = f[a] - price * g[a];
      if (reach > most) {
        most = reach;
        above = a;
      }
    }
    if (above < 0 || above == in || above == out) break;
    (g[above] <= limit ? in : out) = above;
  }
  const double share = (limit - g[in]) / (g[out] - g[in]);
  p_[as_size(in)] = 1.0 - share;
  p_[as_size(out)] = share;
  return {.value = f[in] + share * (f[out] - f[in])};
}

// Writes the tableau at its first basis: one action, slacks, and v if that action needs it. Returns
// the row of v, or -1.
int Mixture::fill(std::span<const double> values, std::span<const double> caps) {
  const int m = costs_;
  const double* f = values.data();
  columns_ = actions_ + m + 1;
  const int relax = columns_ - 1;
  // Costs over their caps, and the first action: the best within all caps, or the one with the
  // smallest v.
  int start = 0;
  double start_v = 0.0;
  for (int i = 0; i < m; ++i) {
    const double* g = f + as_size(i + 1) * as_size(actions_);
    double* over = row(i);
    for (int a = 0; a < actions_; ++a) over[a] = g[a] - caps[i];
  }
  for (int a = 0; a < actions_; ++a) {
    double v = 0.0;
    for (int i = 0; i < m; ++i) v = std::max(v, row(i)[a]);
    if (a == 0 || v < start_v || (v == start_v && f[a] > f[start])) {
      start = a;
      start_v = v;
    }
  }
  int relax_row = -1;
  for (int i = 0; i < m; ++i) {
    if (start_v > 0.0 && relax_row < 0 && row(i)[start] == start_v) relax_row = i;
  }
  for (int i = 0; i < m; ++i) {
    double* r = row(i);
    const double base = r[start];
    for (int a = 0; a < actions_; ++a) r[a] -= base;
    std::fill(r + actions_, r + columns_, 0.0);
    r[actions_ + i] = 1.0;
    r[relax] = -1.0;
    r[columns_] = -base;
    basis_[as_size(i)] = actions_ + i;
  }
  double* sum = row(m);
  std::fill(sum, sum + columns_ + 1, 0.0);
  std::fill(sum, sum + actions_, 1.0);
  sum[columns_] = 1.0;
  basis_[as_size(m)] = start;
  double* gain = row(m + 1);
  std::fill(gain, gain + columns_ + 1, 0.0);
  for (int a = 0; a < actions_; ++a) gain[a] = f[a] - f[start];
  gain[columns_] = -f[start];
  std::fill_n(banned_.begin(), columns_, char{0});
  if (relax_row >= 0) pivot(relax_row, relax);
  return relax_row;
}

void Mixture::pivot(int r, int column) {
  double* by = row(r);
  const double scale = 1.0 / by[column];
  for (int j = 0; j <= columns_; ++j) by[j] *= scale;
  by[column] = 1.0;
  for (int other = 0; other < costs_ + 2; ++other) {
    double* to = row(other);
    const double factor = to[column];
    if (other == r || factor == 0.0) continue;
    for (int j = 0; j <= columns_; ++j) to[j] -= factor * by[j];
    to[column] = 0.0;
  }
  basis_[as_size(r)] = column;
}

// Pivots while a column of row `objective` has a gain. If v is in `relax_row`, it leaves the basis
// as soon as possible, and that ends the climb. Returns false after too many steps.
bool Mixture::climb(int objective, int relax_row) {
  const int limit = 50 * (columns_ + 4);
  for (int step = 0; step < limit; ++step) {
    // The largest gain; after a while the first one, which cannot cycle (Bland's rule).
    const bool first = step > 4 * (columns_ + 4);
    const double* promise = row(objective);
    int column = -1;
    double most = kGain;
    for (int j = 0; j < columns_; ++j) {
      if (banned_[as_size(j)] == 0 && promise[j] > most) {
        column = j;
        if (first) break;
        most = promise[j];
      }
    }
    if (column < 0) return true;
    int leaving = -1;
    double least = 0.0;
    for (int r = 0; r <= costs_; ++r) {
      const double entry = row(r)[column];
      if (entry <= kPivot) continue;
      const double ratio = std::max(row(r)[columns_], 0.0) / entry;
      const bool better =
          leaving < 0 || ratio < least ||
          (ratio == least && (r == relax_row || (leaving != relax_row &&
                                                 basis_[as_size(r)] < basis_[as_size(leaving)])));
      if (better) {
        leaving = r;
        least = ratio;
      }
    }
    if (leaving < 0) {  // the gain was rounding: no distribution is unbounded
      banned_[as_size(column)] = 1;
      continue;
    }
    pivot(leaving, column);
    if (leaving == relax_row) return true;
  }
  return false;
}

MixtureAnswer Mixture::solve_many(std::span<const double> values, std::span<const double> caps) {
  const int relax = actions_ + costs_;
  const int relax_row = fill(values, caps);
  double relaxed = 0.0;
  bool done = true;
  banned_[as_size(relax)] = 1;
  if (relax_row >= 0) {
    // v = right-hand side - sum of entries x column: its own row is the objective here.
    done = climb(relax_row, relax_row);
    std::fill_n(banned_.begin(), relax, char{0});
    if (basis_[as_size(relax_row)] == relax) {
      const double* r = row(relax_row);
      if (r[columns_] > kLeastViolation) relaxed = r[columns_];
      for (int j = 0; j < relax; ++j) {  // excludes columns that would raise v again
        if (r[j] < -kPivot) banned_[as_size(j)] = 1;
      }
    }
  }
  done = done && climb(costs_ + 1, -1);
  return done || !has_lp() ? answer(values, relaxed)
                           : mixture_by_clp(values, actions_, caps, {p_.data(), as_size(actions_)});
}

// The distribution of the basis, corrected for rounding.
MixtureAnswer Mixture::answer(std::span<const double> values, double relaxed) {
  double sum = 0.0;
  for (int r = 0; r <= costs_; ++r) {
    const int column = basis_[as_size(r)];
    if (column >= actions_) continue;
    p_[as_size(column)] = std::max(row(r)[columns_], 0.0);
    sum += p_[as_size(column)];
  }
  double value = 0.0;
  for (int r = 0; r <= costs_; ++r) {
    const int column = basis_[as_size(r)];
    if (column >= actions_) continue;
    p_[as_size(column)] /= sum;
    value += p_[as_size(column)] * values[as_size(column)];
  }
  return {.value = value, .relaxed = relaxed};
}

MixtureAnswer mixture_by_clp(std::span<const double> values, int actions,
                             std::span<const double> caps, std::span<double> p) {
  const int m = static_cast<int>(caps.size());
  Lp lp;
  std::vector<int> rows(as_size(m + 1));
  std::vector<double> entries(as_size(m + 1), 1.0);
  for (int i = 0; i < m; ++i) rows[as_size(i)] = lp.add_row(-Lp::kInfinity, 0.0);
  rows[as_size(m)] = lp.add_row(1.0, 1.0);
  for (int a = 0; a < actions; ++a) {
    for (int i = 0; i < m; ++i) {
      const double g = values[as_size(i + 1) * as_size(actions) + as_size(a)];
      entries[as_size(i)] = g - caps[as_size(i)];
    }
    lp.add_column(0.0, rows, entries);
  }
  std::fill(entries.begin(), entries.end(), -1.0);
  const int relax = lp.add_column(-1.0, {rows.data(), as_size(m)}, {entries.data(), as_size(m)});
  check(lp.maximize() == LpStatus::kOptimal, "some v makes every round feasible");
  const double v = lp.x(relax);
  MixtureAnswer answer{.relaxed = v > kClpFeasible ? v : 0.0};
  const double room = answer.relaxed > 0.0 ? v + kClpFeasible : 0.0;
  for (int i = 0; i < m; ++i) lp.set_row(i, -Lp::kInfinity, room);
  lp.drop(relax);  // v is now in the right-hand side
  for (int a = 0; a < actions; ++a) lp.set_value(a, values[as_size(a)]);
  check(lp.maximize() == LpStatus::kOptimal, "a feasible round has a best distribution");
  for (int a = 0; a < actions; ++a) {
    p[as_size(a)] = lp.x(a);
    answer.value += lp.x(a) * values[as_size(a)];
  }
  return answer;
}

}  // namespace rein
