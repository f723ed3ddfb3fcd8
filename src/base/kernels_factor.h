// Kernels on a packed factor: the solve of one column and the rank-one update. Included only by
// kernels_level.cc.
#pragma once

#include "base/kernels_solve.h"

namespace rein::REIN_LEVEL {
namespace {

inline Lanes load_rows(const double* p, long height) {
  return height == 8 ? Lanes::load(p) : Lanes::load_part(p, height);
}
inline void store_rows(Lanes x, double* p, long height) {
  if (height == 8) {
    x.store(p);
  } else {
    x.store_part(p, height);
  }
}

// Calls f with the height of a panel as a constant.
template <int H = 8, class F>
REIN_INLINE inline void with_height(long height, const F& f) {
  if (height == H) {
    f(Index<H>{});
  } else if constexpr (H > 1) {
    with_height<H - 1>(height, f);
  }
}

// The triangle of a panel for one vector: overwrites w with the solution.
template <int H>
REIN_INLINE inline void solve_triangle(const double* factor, const Panel& panel, double* at) {
  double w[H];
  unrolled<H>([&](auto r) REIN_INLINE { w[r] = at[r]; });
  unrolled<H>([&](auto r) REIN_INLINE {
    const double* triangle = factor + panel.triangle(r);
    w[r] *= 1.0 / triangle[0];
    unrolled<H - 1 - r.value>([&](auto s) REIN_INLINE {
      w[r + 1 + s] = __builtin_fma(-triangle[s + 1], w[r], w[r + 1 + s]);
    });
  });
  unrolled<H>([&](auto r) REIN_INLINE { at[r] = w[r]; });
}

// y holds x and becomes L^-1 x. A panel is solved, then subtracted from all rows below. Each row
// subtracts its terms in the order of the columns, as a lane of solve() does. The panels below do
// not depend on each other.
void solve_in_place(const double* factor, long d, double* y) {
  const long panels = panel_count(d);
  for (long p = 0; p < panels; ++p) {
    const Panel panel(d, p);
    double* w = y + panel.first;
    with_height(panel.height,
                [&](auto height) REIN_INLINE { solve_triangle<height.value>(factor, panel, w); });
    for (long q = p + 1; q < panels; ++q) {
      const Panel below(d, q);
      const double* column = factor + below.left + below.height * panel.first;
      Lanes wide = load_rows(y + below.first, below.height);
      unrolled<8>([&](auto r) REIN_INLINE {
        wide = fnma(load_rows(column + r * below.height, below.height), Lanes::all(w[r]), wide);
      });
      store_rows(wide, y + below.first, below.height);
    }
  }
}

void solve_one(const double* factor, int d, const double* x, double* y) {
  for (long j = 0; j < d; ++j) y[j] = x[j];
  solve_in_place(factor, d, y);
}

// The sums of a lane are chains of additions in the order of the rows. Those of the square and of all heads
// do not wait for each other.
template <int H>
REIN_INLINE inline void lane_sums(const double* y, long d, const double* c, double* square,
                                  double* dots) {
  double s = 0.0, sums[H] = {};
  for (long j = 0; j < d; ++j) {
    s = __builtin_fma(y[j], y[j], s);
    unrolled<H>([&](auto h) REIN_INLINE { sums[h] = __builtin_fma(c[h * d + j], y[j], sums[h]); });
  }
  *square = s;
  unrolled<H>([&](auto h) REIN_INLINE { dots[h] = sums[h]; });
}

void solve_lane(const double* factor, int d, const double* x, double* y, const double* c,
                int heads, double* square, double* dots) {
  solve_one(factor, d, x, y);
  long h = 0;
  for (; h + 2 <= heads; h += 2) lane_sums<2>(y, d, c + h * d, square, dots + h);
  if (h < heads) lane_sums<1>(y, d, c + h * d, square, dots + h);
}

// x = L'^-1 y, from the last panel to the first. A column of a panel is contiguous, so the terms of
// eight rows are one product. Eight columns are summed at once.
void solve_transposed(const double* factor, int d, const double* y, double* x) {
  const long panels = panel_count(d);
  for (long p = panels - 1; p >= 0; --p) {
    const Panel panel(d, p);
    Lanes taken[8];
    for (Lanes& t : taken) t = Lanes::all(0.0);
    for (long q = p + 1; q < panels; ++q) {  // this panel is full, since others follow
      const Panel below(d, q);
      const double* column = factor + below.left + below.height * panel.first;
      const Lanes known = load_rows(x + below.first, below.height);
      for (int c = 0; c < 8; ++c, column += below.height) {
        taken[c] = fma(load_rows(column, below.height), known, taken[c]);
      }
    }
    double total[8];
    sums(taken).store(total);
    with_height(panel.height, [&](auto height) REIN_INLINE {
      constexpr int kHeight = height.value;
      double w[kHeight];
      unrolled<kHeight>([&](auto i) REIN_INLINE {
        constexpr int c = kHeight - 1 - i.value;
        const double* triangle = factor + panel.triangle(c);
        double value = y[panel.first + c] - total[c];
        unrolled<i.value>([&](auto s) REIN_INLINE {
          value = __builtin_fma(-triangle[s + 1], w[c + 1 + s], value);
        });
        w[c] = value * (1.0 / triangle[0]);
        x[panel.first + c] = w[c];
      });
    });
  }
}

// With y = L^-1 x, t_j = 1 + y_0^2 + ... + y_j^2, the factor of L (I + y y') L' is
//   L'_ij = m_j L_ij + beta_j w_ij,  m_j = sqrt(t_j / t_{j-1}),  beta_j = y_j / (t_{j-1} m_j),
//   w_ij = x_i - sum_{k <= j} L_ik y_k.
// One pass over L computes this together with y. A row c_h of heads behaves like one more row of L
// whose x is the outcome. (Gill, Golub, Murray, Saunders 1974; t grows, so there is no
// cancellation.)
struct Step {
  double* y;
  double* m;
  double* beta;
  double* w;
};

// Updates one element; returns the new w.
inline double rotate(double& element, double w, double y, double m, double beta) {
  w = __builtin_fma(-element, y, w);
  element = __builtin_fma(beta, w, m * element);
  return w;
}

// The triangle of a panel: y, m and beta of its columns, and its elements. Returns t. Only w and y
// form a chain of dependent steps; roots and divisions come after it, in lanes.
template <int H>
REIN_INLINE inline double update_triangle(double* factor, const Panel& panel, const Step& step,
                                          double t) {
  double w[H], kept[H][H], y[8], before[8], after[8];
  unrolled<H>([&](auto r) REIN_INLINE { w[r] = step.w[panel.first + r]; });
  unrolled<8>([&](auto r) REIN_INLINE { y[r] = before[r] = after[r] = 1.0; });
  unrolled<H>([&](auto r) REIN_INLINE {
    const double* triangle = factor + panel.triangle(r);
    y[r] = w[r] * (1.0 / triangle[0]);
    before[r] = t;
    t = __builtin_fma(y[r], y[r], t);
    after[r] = t;
    unrolled<H - 1 - r.value>([&](auto s) REIN_INLINE {
      w[r + 1 + s] = __builtin_fma(-triangle[s + 1], y[r], w[r + 1 + s]);
      kept[r][r + 1 + s] = w[r + 1 + s];
    });
  });
  double m[8], beta[8];
  unrolled<2>([&](auto half) REIN_INLINE {  // the first half does not depend on the second
    constexpr int i = 4 * half.value;
    const Four old = Four::load(before + i), ratio = sqrt(Four::load(after + i) / old);
    ratio.store(m + i);
    (Four::load(y + i) / (old * ratio)).store(beta + i);
  });
  unrolled<H>([&](auto r) REIN_INLINE {
    step.y[panel.first + r] = y[r];
    step.m[panel.first + r] = m[r];
    step.beta[panel.first + r] = beta[r];
  });
  unrolled<H>([&](auto r) REIN_INLINE {
    double* triangle = factor + panel.triangle(r);
    triangle[0] *= m[r];
    unrolled<H - 1 - r.value>([&](auto s) REIN_INLINE {
      triangle[s + 1] = __builtin_fma(beta[r], kept[r][r + 1 + s], m[r] * triangle[s + 1]);
    });
  });
  return t;
}

// Eight columns of a panel, to be applied to the rows below it.
struct Columns {
  Lanes y[8], m[8], beta[8];
};

REIN_INLINE inline void update_below(double* column, const Columns& by, double* w) {
  Lanes wide = Lanes::load(w);
  unrolled<8>([&](auto r) REIN_INLINE {
    const Lanes old = Lanes::load(column + 8 * r);
    wide = fnma(old, by.y[r], wide);
    fma(by.beta[r], wide, by.m[r] * old).store(column + 8 * r);
  });
  wide.store(w);
}

// Updates the last panel if it has fewer rows. All numbers are read before any is written: a read
// that seems to overlap a write would wait for it.
inline void update_last(double* column, long height, const Columns& by, double* w) {
  Lanes old[8], wide = Lanes::load(w);
  unrolled<8>([&](auto r) REIN_INLINE { old[r] = Lanes::load_part(column + height * r, height); });
  unrolled<8>([&](auto r) REIN_INLINE {
    wide = fnma(old[r], by.y[r], wide);
    fma(by.beta[r], wide, by.m[r] * old[r]).store_part(column + height * r, height);
  });
  wide.store(w);
}

double update(double* factor, int d, const double* x, double* c, int heads, const double* outcomes,
              double* work, double* residuals) {
  const Step step{work, work + d, work + 2L * d, work + 3L * d};
  const long panels = panel_count(d);
  for (long j = 0; j < d; ++j) step.w[j] = x[j];
  for (long j = d; j < d + 8; ++j) step.w[j] = 0.0;  // lanes after the last row
  for (long h = 0; h < heads; ++h) residuals[h] = outcomes[h];
  double t = 1.0;
  for (long p = 0; p < panels; ++p) {
    const Panel panel(d, p);
    with_height(panel.height, [&](auto height) REIN_INLINE {
      t = update_triangle<height.value>(factor, panel, step, t);
    });
    if (p + 1 < panels) {
      Columns by;
      unrolled<8>([&](auto r) REIN_INLINE {
        by.y[r] = Lanes::all(step.y[panel.first + r]);
        by.m[r] = Lanes::all(step.m[panel.first + r]);
        by.beta[r] = Lanes::all(step.beta[panel.first + r]);
      });
      for (long q = p + 1; q < panels; ++q) {
        const Panel below(d, q);
        double* column = factor + below.left + below.height * panel.first;
        double* w = step.w + below.first;
        if (below.height == 8) {
          update_below(column, by, w);
        } else {
          update_last(column, below.height, by, w);
        }
      }
    }
    for (long h = 0; h < heads; ++h) {
      double* row = c + h * d;
      for (long j = panel.first; j < panel.first + panel.height; ++j) {
        residuals[h] = rotate(row[j], residuals[h], step.y[j], step.m[j], step.beta[j]);
      }
    }
  }
  return t;
}

}  // namespace
}  // namespace rein::REIN_LEVEL
