// The kernels, compiled once for each x86 level with REIN_LEVEL = v2, v3, v4.
#include "base/kernels.h"
#include "base/lanes.h"

namespace rein::REIN_LEVEL {
namespace {

// The eight (or fewer, in the last one) rows first, ..., first + height - 1 of a packed factor.
struct Panel {
  long first;
  long height;
  long left;      // offset of column 0; column j < first is at left + height j
  long diagonal;  // offset of the triangle; its column c starts at triangle(c)

  Panel(long d, long index)
      : first(8 * index),
        height(d - first < 8 ? d - first : 8),
        left(first * (first + 1) / 2),
        diagonal(left + height * first) {}
  // Offset of L(first + c, first + c); the rest of the column follows.
  long triangle(long c) const { return diagonal + c * height - c * (c - 1) / 2; }
};

long panel_count(long d) { return (d + 7) / 8; }

// Solves rows [begin, begin + N) of a panel for one block of eight columns, rows above being done.
template <int N>
void solve_rows(const double* factor, const Panel& panel, long begin, double* block) {
  Lanes row[N];
  double* out = block + 8 * (panel.first + begin);
  for (int r = 0; r < N; ++r) row[r] = Lanes::load(out + 8 * r);
  const double* column = factor + panel.left + begin;
  for (long j = 0; j < panel.first; ++j, column += panel.height) {
    const Lanes y = Lanes::load(block + 8 * j);
    for (int r = 0; r < N; ++r) row[r] = fnma(Lanes::all(column[r]), y, row[r]);
  }
  for (long c = 0; c < begin; ++c) {
    const double* triangle = factor + panel.triangle(c) + (begin - c);
    const Lanes y = Lanes::load(block + 8 * (panel.first + c));
    for (int r = 0; r < N; ++r) row[r] = fnma(Lanes::all(triangle[r]), y, row[r]);
  }
  for (int r = 0; r < N; ++r) {
    const double* triangle = factor + panel.triangle(begin + r);
    row[r] = row[r] * Lanes::all(1.0 / triangle[0]);
    for (int s = r + 1; s < N; ++s) row[s] = fnma(Lanes::all(triangle[s - r]), row[r], row[s]);
    row[r].store(out + 8 * r);
  }
}

void solve_block(const double* factor, long d, double* block) {
  for (long p = 0; p < panel_count(d); ++p) {
    const Panel panel(d, p);
    long r = 0;
    for (; r + kRowGroup <= panel.height; r += kRowGroup) {
      solve_rows<kRowGroup>(factor, panel, r, block);
    }
    for (; r < panel.height; ++r) solve_rows<1>(factor, panel, r, block);
  }
}

void solve(const double* factor, int d, double* columns, int blocks, const double* c, int heads,
           double* squares, double* dots) {
  for (long b = 0; b < blocks; ++b) {
    double* block = columns + 8 * d * b;
    solve_block(factor, d, block);
    Lanes square = Lanes::all(0.0);
    for (long j = 0; j < d; ++j) {
      const Lanes y = Lanes::load(block + 8 * j);
      square = fma(y, y, square);
    }
    square.store(squares + 8 * b);
    for (long h = 0; h < heads; ++h) {
      Lanes dot = Lanes::all(0.0);
      for (long j = 0; j < d; ++j) {
        dot = fma(Lanes::all(c[h * d + j]), Lanes::load(block + 8 * j), dot);
      }
      dot.store(dots + 8 * (h * blocks + b));
    }
  }
}

// With y = L^-1 x, t_j = 1 + y_0^2 + ... + y_j^2, the factor of L (I + y y') L' is
//   L'_ij = m_j L_ij + beta_j w_ij,  m_j = sqrt(t_j / t_{j-1}),  beta_j = y_j / sqrt(t_j t_{j-1}),
//   w_ij = x_i - sum_{k <= j} L_ik y_k,
// which one pass over L computes together with y. A row c_h of heads behaves like one more row of L
// whose x is the outcome. (Gill, Golub, Murray, Saunders 1974; t grows, so nothing can cancel.)
struct Step {
  double* y;
  double* m;
  double* beta;
};

// One element; returns the new w.
inline double rotate(double& element, double w, double y, double m, double beta) {
  w = __builtin_fma(-element, y, w);
  element = __builtin_fma(beta, w, m * element);
  return w;
}

double update(double* factor, int d, const double* x, double* c, int heads, const double* outcomes,
              double* work, double* residuals) {
  const Step step{work, work + d, work + 2 * static_cast<long>(d)};
  double t = 1.0;
  for (long p = 0; p < panel_count(d); ++p) {
    const Panel panel(d, p);
    double w[8];
    for (long r = 0; r < panel.height; ++r) w[r] = x[panel.first + r];
    double* column = factor + panel.left;
    if (panel.height == 8) {
      Lanes wide = Lanes::load(w);
      for (long j = 0; j < panel.first; ++j, column += 8) {
        const Lanes old = Lanes::load(column);
        wide = fnma(old, Lanes::all(step.y[j]), wide);
        fma(Lanes::all(step.beta[j]), wide, Lanes::all(step.m[j]) * old).store(column);
      }
      wide.store(w);
    } else {
      for (long j = 0; j < panel.first; ++j, column += panel.height) {
        for (long r = 0; r < panel.height; ++r) {
          w[r] = rotate(column[r], w[r], step.y[j], step.m[j], step.beta[j]);
        }
      }
    }
    for (long r = 0; r < panel.height; ++r) {
      double* triangle = factor + panel.triangle(r);
      const long j = panel.first + r;
      const double y = w[r] * (1.0 / triangle[0]);
      const double next = __builtin_fma(y, y, t);
      step.y[j] = y;
      step.m[j] = __builtin_sqrt(next / t);
      step.beta[j] = y / __builtin_sqrt(next * t);
      t = next;
      triangle[0] *= step.m[j];
      for (long s = r + 1; s < panel.height; ++s) {
        w[s] = rotate(triangle[s - r], w[s], y, step.m[j], step.beta[j]);
      }
    }
  }
  for (long h = 0; h < heads; ++h) {
    double w = outcomes[h];
    double* row = c + h * d;
    for (long j = 0; j < d; ++j) w = rotate(row[j], w, step.y[j], step.m[j], step.beta[j]);
    residuals[h] = w;
  }
  return t;
}

void solve_one(const double* factor, int d, const double* x, double* y) {
  for (long p = 0; p < panel_count(d); ++p) {
    const Panel panel(d, p);
    double w[8];
    for (long r = 0; r < panel.height; ++r) w[r] = x[panel.first + r];
    const double* column = factor + panel.left;
    if (panel.height == 8) {
      Lanes wide = Lanes::load(w);
      for (long j = 0; j < panel.first; ++j, column += 8) {
        wide = fnma(Lanes::load(column), Lanes::all(y[j]), wide);
      }
      wide.store(w);
    } else {
      for (long j = 0; j < panel.first; ++j, column += panel.height) {
        for (long r = 0; r < panel.height; ++r) w[r] = __builtin_fma(-column[r], y[j], w[r]);
      }
    }
    for (long r = 0; r < panel.height; ++r) {
      const double* triangle = factor + panel.triangle(r);
      const double value = w[r] * (1.0 / triangle[0]);
      y[panel.first + r] = value;
      for (long s = r + 1; s < panel.height; ++s) {
        w[s] = __builtin_fma(-triangle[s - r], value, w[s]);
      }
    }
  }
}

// Four independent chains of eight lanes each, so that the adds do not wait for one another.
double dot(const double* a, const double* b, int n) {
  Lanes s0 = Lanes::all(0.0), s1 = s0, s2 = s0, s3 = s0;
  long i = 0;
  for (; i + 32 <= n; i += 32) {
    s0 = fma(Lanes::load(a + i), Lanes::load(b + i), s0);
    s1 = fma(Lanes::load(a + i + 8), Lanes::load(b + i + 8), s1);
    s2 = fma(Lanes::load(a + i + 16), Lanes::load(b + i + 16), s2);
    s3 = fma(Lanes::load(a + i + 24), Lanes::load(b + i + 24), s3);
  }
  for (; i + 8 <= n; i += 8) s0 = fma(Lanes::load(a + i), Lanes::load(b + i), s0);
  double total = sum((s0 + s1) + (s2 + s3));
  for (; i < n; ++i) total = __builtin_fma(a[i], b[i], total);
  return total;
}

void dots(const double* rows, int count, int n, const double* weights, int heads, double* out) {
  for (long row = 0; row < count; ++row) {
    for (long h = 0; h < heads; ++h) {
      out[row * heads + h] = dot(rows + row * n, weights + h * n, n);
    }
  }
}

void adagrad(double* weights, double* squares, const double* x, int n, double slope, double rate,
             double radius) {
  // A feature that never moved has squares = 0 and slope x = 0: the floor makes its step 0, not
  // NaN.
  constexpr double kFloor = 1e-300;
  const Lanes s = Lanes::all(slope), minus_rate = Lanes::all(-rate);
  const Lanes low = Lanes::all(-radius), high = Lanes::all(radius), floor = Lanes::all(kFloor);
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    const Lanes g = s * Lanes::load(x + i);
    const Lanes total = fma(g, g, Lanes::load(squares + i));
    total.store(squares + i);
    const Lanes moved = fma(minus_rate, g / sqrt(max(total, floor)), Lanes::load(weights + i));
    min(max(moved, low), high).store(weights + i);
  }
  for (; i < n; ++i) {
    const double g = slope * x[i];
    squares[i] = __builtin_fma(g, g, squares[i]);
    const double total = squares[i] > kFloor ? squares[i] : kFloor;
    const double moved = __builtin_fma(-rate, g / __builtin_sqrt(total), weights[i]);
    weights[i] = moved < -radius ? -radius : moved > radius ? radius : moved;
  }
}

void inverse_sums(const double* c, int n, double lambda, double* h, double* dh) {
  const Lanes at = Lanes::all(lambda), one = Lanes::all(1.0);
  Lanes s = Lanes::all(0.0), ds = s;
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    const Lanes p = one / (at + Lanes::load(c + i));
    s = s + p;
    ds = fma(p, p, ds);
  }
  double total = sum(s), slope = sum(ds);
  for (; i < n; ++i) {
    const double p = 1.0 / (lambda + c[i]);
    total += p;
    slope = __builtin_fma(p, p, slope);
  }
  *h = total;
  *dh = slope;
}

bool all_finite(const double* x, std::size_t n) {
  // 0 * x is 0 for a finite x and NaN otherwise, and NaN stays.
  const Lanes zero = Lanes::all(0.0);
  Lanes bad = zero;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) bad = fma(Lanes::load(x + i), zero, bad);
  double total = sum(bad);
  for (; i < n; ++i) total = __builtin_fma(x[i], 0.0, total);
  return total == 0.0;
}

bool all_within(const double* x, std::size_t n, double limit) {
  // What is over the limit overflows on the way, and then 0 * x is NaN as above.
  const double lift = 0x1.fffffffffffffp1023 / limit;
  const Lanes zero = Lanes::all(0.0), lifts = Lanes::all(lift);
  Lanes bad = zero;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) bad = fma(Lanes::load(x + i) * lifts, zero, bad);
  double total = sum(bad);
  for (; i < n; ++i) total = __builtin_fma(x[i] * lift, 0.0, total);
  return total == 0.0;
}

}  // namespace

#define REIN_TEXT_(x) #x
#define REIN_TEXT(x) REIN_TEXT_(x)
extern const Kernels kKernels;
constinit const Kernels kKernels{
    REIN_TEXT(REIN_LEVEL), solve,      update,    solve_one, dot, dots, adagrad,
    inverse_sums,          all_finite, all_within};

}  // namespace rein::REIN_LEVEL
