// The solve of many columns on a packed factor. Included by kernels_level.cc and kernels_wide.cc.
#pragma once

#include "base/lanes.h"

namespace rein::REIN_LEVEL {
namespace {

// Rows first, ..., first + height - 1 of a packed factor: eight, or fewer in the last panel.
struct Panel {
  long first;
  long height;
  long left;      // offset of column 0; column j < first is at left + height j
  long diagonal;  // offset of the triangle; its column c starts at triangle(c)

  Panel(long d, long index)
      : first(8 * index),
        height(d - first < 8 ? d - first : 8),
        left(4 * index * (first - 8)),
        diagonal(left_size(d) + 36 * index) {}
  // Offset of L(first + c, first + c); the rest of the column follows.
  long triangle(long c) const { return diagonal + c * height - c * (c - 1) / 2; }
  // The size of the rectangular parts of all panels.
  static long left_size(long d) {
    const long full = d / 8;
    return 32 * full * (full - 1) + (d - 8 * full) * 8 * full;
  }
};

inline long panel_count(long d) { return (d + 7) / 8; }

// Solves rows [begin, begin + N) of a panel for B blocks of eight columns. The rows above are
// already solved. The accumulators stay in registers. Every lane subtracts its terms in the order
// of the columns.
template <int N, int B>
void solve_rows(const double* factor, const Panel& panel, long begin, double* block, long size) {
  Lanes row[N * B];
  double* out = block + 8 * (panel.first + begin);
  unrolled<N * B>([&](auto i)
                      REIN_INLINE { row[i] = Lanes::load(out + 8 * (i / B) + (i % B) * size); });
  const auto subtract = [&](const double* column, const double* solved) REIN_INLINE {
    Lanes y[B];
    unrolled<B>([&](auto b) REIN_INLINE { y[b] = Lanes::load(solved + b * size); });
    unrolled<N>([&](auto r) REIN_INLINE {
      const Lanes l = Lanes::all(column[r]);
      unrolled<B>([&](auto b) REIN_INLINE { row[r * B + b] = fnma(l, y[b], row[r * B + b]); });
    });
  };
  const double* column = factor + panel.left + begin;
  for (long j = 0; j < panel.first; ++j, column += panel.height) {
    __builtin_prefetch(column + 128);
    subtract(column, block + 8 * j);
  }
  for (long c = 0; c < begin; ++c) {
    subtract(factor + panel.triangle(c) + (begin - c), block + 8 * (panel.first + c));
  }
  unrolled<N>([&](auto r) REIN_INLINE {
    const double* triangle = factor + panel.triangle(begin + r);
    const Lanes inverse = Lanes::all(1.0 / triangle[0]);
    unrolled<B>([&](auto b) REIN_INLINE {
      row[r * B + b] = row[r * B + b] * inverse;
      row[r * B + b].store(out + 8 * r + b * size);
    });
    unrolled<N - 1 - r.value>([&](auto s) REIN_INLINE {
      const Lanes l = Lanes::all(triangle[s + 1]);
      unrolled<B>([&](auto b) REIN_INLINE {
        Lanes& below = row[(r + 1 + s) * B + b];
        below = fnma(l, row[r * B + b], below);
      });
    });
  });
}

// The remaining rows of the last panel, at most N, together.
template <int N, int B>
void solve_rest(const double* factor, const Panel& panel, long begin, double* block, long size) {
  if constexpr (N > 0) {
    if (panel.height - begin == N) return solve_rows<N, B>(factor, panel, begin, block, size);
    solve_rest<N - 1, B>(factor, panel, begin, block, size);
  }
}

template <int B>
void solve_blocks(const double* factor, long d, double* block, const double* c, long heads,
                  double* squares, double* dots, long lanes) {
  const long size = 8 * d;
  for (long p = 0; p < panel_count(d); ++p) {
    const Panel panel(d, p);
    long r = 0;
    for (; r + kRowGroup <= panel.height; r += kRowGroup) {
      solve_rows<kRowGroup, B>(factor, panel, r, block, size);
    }
    solve_rest<kRowGroup - 1, B>(factor, panel, r, block, size);
  }
  Lanes square[B], first[B];
  unrolled<B>([&](auto b) REIN_INLINE { square[b] = first[b] = Lanes::all(0.0); });
  for (long j = 0; j < d; ++j) {
    const Lanes weight = Lanes::all(c[j]);
    unrolled<B>([&](auto b) REIN_INLINE {
      const Lanes y = Lanes::load(block + 8 * j + b * size);
      square[b] = fma(y, y, square[b]);
      first[b] = fma(weight, y, first[b]);
    });
  }
  unrolled<B>([&](auto b) REIN_INLINE {
    square[b].store(squares + 8 * b);
    first[b].store(dots + 8 * b);
  });
  for (long h = 1; h < heads; ++h) {
    Lanes dot[B];
    unrolled<B>([&](auto b) REIN_INLINE { dot[b] = Lanes::all(0.0); });
    for (long j = 0; j < d; ++j) {
      const Lanes weight = Lanes::all(c[h * d + j]);
      unrolled<B>([&](auto b) REIN_INLINE {
        dot[b] = fma(weight, Lanes::load(block + 8 * j + b * size), dot[b]);
      });
    }
    unrolled<B>([&](auto b) REIN_INLINE { dot[b].store(dots + 8 * b + h * lanes); });
  }
}

void solve(const double* factor, int d, double* columns, int blocks, const double* c, int heads,
           double* squares, double* dots) {
  const long lanes = 8L * blocks;
  long b = 0;
  for (; b + kBlockGroup <= blocks; b += kBlockGroup) {
    solve_blocks<kBlockGroup>(factor, d, columns + 8 * d * b, c, heads, squares + 8 * b,
                              dots + 8 * b, lanes);
  }
  for (; b < blocks; ++b) {
    solve_blocks<1>(factor, d, columns + 8 * d * b, c, heads, squares + 8 * b, dots + 8 * b, lanes);
  }
}

}  // namespace
}  // namespace rein::REIN_LEVEL
