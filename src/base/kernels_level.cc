// The kernels, compiled once per level: REIN_LEVEL is v2 and v3 on x86, plain elsewhere.
#include "base/kernels.h"
#include "base/kernels_curves.h"
#include "base/kernels_factor.h"
#include "base/kernels_marks.h"
#include "base/kernels_math.h"
#include "base/kernels_text.h"
#include "base/kernels_window.h"
#include "base/lanes.h"

namespace rein::REIN_LEVEL {
namespace {

void pack(const double* rows, std::size_t stride, int count, int n, double* block) {
  const double* row[8];
  unrolled<8>([&](auto i) REIN_INLINE {
    row[i] = rows + static_cast<std::size_t>(i < count ? i : count - 1) * stride;
  });
  long j = 0;
  for (; j + 8 <= n; j += 8) {
    Lanes r[8];
    unrolled<8>([&](auto i) REIN_INLINE { r[i] = Lanes::load(row[i] + j); });
    transpose(r);
    unrolled<8>([&](auto k) REIN_INLINE { r[k].store(block + 8 * (j + k)); });
  }
  if (j == n) return;
  Lanes r[8];
  unrolled<8>([&](auto i) REIN_INLINE { r[i] = Lanes::load_part(row[i] + j, n - j); });
  transpose(r);
  unrolled<8>([&](auto k) REIN_INLINE {
    if (k < n - j) r[k].store(block + 8 * (j + k));
  });
}

// Four independent chains of eight lanes each, so that additions do not wait for each other.
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
  if (i < n) s1 = fma(Lanes::load_part(a + i, n - i), Lanes::load_part(b + i, n - i), s1);
  return sum((s0 + s1) + (s2 + s3));
}

// N rows at once: one chain per row, and the weights are read once for all of them.
template <int N>
void dot_rows(const double* rows, std::size_t stride, int n, const double* weights, double* out) {
  Lanes s[N];
  for (Lanes& lane : s) lane = Lanes::all(0.0);
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    const Lanes w = Lanes::load(weights + i);
    for (int r = 0; r < N; ++r) {
      s[r] = fma(Lanes::load(rows + static_cast<std::size_t>(r) * stride + i), w, s[r]);
    }
  }
  if (i < n) {
    const Lanes w = Lanes::load_part(weights + i, n - i);
    for (int r = 0; r < N; ++r) {
      const double* row = rows + static_cast<std::size_t>(r) * stride + i;
      s[r] = fma(Lanes::load_part(row, n - i), w, s[r]);
    }
  }
  write_sums(s, out);
}

void dots(const double* rows, std::size_t stride, int count, int n, const double* weights,
          double* out) {
  int row = 0;
  const auto at = [&] { return rows + static_cast<std::size_t>(row) * stride; };
  for (; row + kRowGroup <= count; row += kRowGroup) {
    dot_rows<kRowGroup>(at(), stride, n, weights, out + row);
  }
  for (; row + 2 <= count; row += 2) dot_rows<2>(at(), stride, n, weights, out + row);
  if (row < count) dot_rows<1>(at(), stride, n, weights, out + row);
}

// Four chains, by position in the list.
double sparse_dot(const std::int32_t* index, const double* value, int count,
                  const double* weights) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    s0 = __builtin_fma(value[i], weights[index[i]], s0);
    s1 = __builtin_fma(value[i + 1], weights[index[i + 1]], s1);
    s2 = __builtin_fma(value[i + 2], weights[index[i + 2]], s2);
    s3 = __builtin_fma(value[i + 3], weights[index[i + 3]], s3);
  }
  for (; i < count; ++i) s0 = __builtin_fma(value[i], weights[index[i]], s0);
  return (s0 + s1) + (s2 + s3);
}

void fold(const double* weights, const double* rows, int count, int n, const double* x,
          double* out) {
  long j = 0;
  for (; j + 8 <= n; j += 8) {
    Lanes s = Lanes::load(weights + j);
    for (long i = 0; i < count; ++i) s = fma(Lanes::all(x[i]), Lanes::load(rows + i * n + j), s);
    s.store(out + j);
  }
  if (j == n) return;
  Lanes s = Lanes::load_part(weights + j, n - j);
  for (long i = 0; i < count; ++i) {
    s = fma(Lanes::all(x[i]), Lanes::load_part(rows + i * n + j, n - j), s);
  }
  s.store_part(out + j, n - j);
}

void products(const double* x, int count, const double* y, int n, double* out) {
  const long whole = n / 8 * 8, rest = n - whole;
  const Lanes last = Lanes::load_part(y + whole, rest);
  double* const end = out + static_cast<long>(count) * n;
  for (long i = 0; i < count; ++i, out += n) {
    const Lanes factor = Lanes::all(x[i]);
    for (long j = 0; j < whole; j += 8) (factor * Lanes::load(y + j)).store(out + j);
    if (rest == 0) continue;
    if (out + whole + 8 <= end) {  // the next rows overwrite what is too much
      (factor * last).store(out + whole);
    } else {
      (factor * last).store_part(out + whole, rest);
    }
  }
}

// An unused feature has squares = 0 and slope x = 0. The floor makes its step 0, not NaN.
constexpr double kFloor = 1e-300;

void adagrad(double* weights, double* squares, const double* x, int n, double slope, double rate,
             double radius) {
  const Lanes s = Lanes::all(slope), minus_rate = Lanes::all(-rate);
  const Lanes low = Lanes::all(-radius), high = Lanes::all(radius), floor = Lanes::all(kFloor);
  const auto step = [&](Lanes feature, Lanes& square, Lanes& weight) {
    const Lanes g = s * feature;
    square = fma(g, g, square);
    weight = fma(minus_rate, g / sqrt(max(square, floor)), weight);
    weight = min(max(weight, low), high);
  };
  long i = 0;
  for (; i + 8 <= n; i += 8) {
    Lanes square = Lanes::load(squares + i), weight = Lanes::load(weights + i);
    step(Lanes::load(x + i), square, weight);
    square.store(squares + i);
    weight.store(weights + i);
  }
  if (i == n) return;
  Lanes square = Lanes::load_part(squares + i, n - i);
  Lanes weight = Lanes::load_part(weights + i, n - i);
  step(Lanes::load_part(x + i, n - i), square, weight);
  square.store_part(squares + i, n - i);
  weight.store_part(weights + i, n - i);
}

void sparse_adagrad(double* weights, double* squares, const std::int32_t* index,
                    const double* value, int count, double slope, double rate, double radius) {
  for (int i = 0; i < count; ++i) {
    const double g = slope * value[i];
    double& square = squares[index[i]];
    double& weight = weights[index[i]];
    square = __builtin_fma(g, g, square);
    const double root = __builtin_sqrt(square > kFloor ? square : kFloor);
    const double moved = __builtin_fma(-rate, g / root, weight);
    weight = moved < -radius ? -radius : moved > radius ? radius : moved;
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
  if (i < n) {  // 1 / infinity adds nothing
    const Lanes p = one / (at + Lanes::load_part(c + i, n - i, __builtin_inf()));
    s = s + p;
    ds = fma(p, p, ds);
  }
  *h = sum(s);
  *dh = sum(ds);
}

void rescale(const double* rows, int count, int n, const double* factors, double* out) {
  for (; count > 0; --count, rows += n, out += n) {
    long j = 0;
    for (; j + 8 <= n; j += 8) (Lanes::load(rows + j) * Lanes::load(factors + j)).store(out + j);
    for (; j < n; ++j) out[j] = rows[j] * factors[j];
  }
}

// 0 * x is 0 for a finite x and NaN otherwise, and NaN propagates.
bool all_within(const double* x, std::size_t n, double limit) {
  // Numbers over the limit overflow in this multiplication.
  const Lanes zero = Lanes::all(0.0), lift = Lanes::all(0x1.fffffffffffffp1023 / limit);
  Lanes b0 = zero, b1 = zero, b2 = zero, b3 = zero;
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    b0 = fma(Lanes::load(x + i) * lift, zero, b0);
    b1 = fma(Lanes::load(x + i + 8) * lift, zero, b1);
    b2 = fma(Lanes::load(x + i + 16) * lift, zero, b2);
    b3 = fma(Lanes::load(x + i + 24) * lift, zero, b3);
  }
  for (; i + 8 <= n; i += 8) b0 = fma(Lanes::load(x + i) * lift, zero, b0);
  if (i < n) b1 = fma(Lanes::load_part(x + i, static_cast<long>(n - i)) * lift, zero, b1);
  return sum((b0 + b1) + (b2 + b3)) == 0.0;
}

}  // namespace

#define REIN_TEXT_(x) #x
#define REIN_TEXT(x) REIN_TEXT_(x)
extern const Kernels kKernels;
constinit const Kernels kKernels{.level = REIN_TEXT(REIN_LEVEL),
                                 .pack = pack,
                                 .solve = solve,
                                 .update = update,
                                 .solve_one = solve_one,
                                 .solve_transposed = solve_transposed,
                                 .solve_lane = solve_lane,
                                 .dot = dot,
                                 .dots = dots,
                                 .sparse_dot = sparse_dot,
                                 .fold = fold,
                                 .products = products,
                                 .adagrad = adagrad,
                                 .sparse_adagrad = sparse_adagrad,
                                 .inverse_sums = inverse_sums,
                                 .window_spend = window_spend,
                                 .exp = exp,
                                 .log = log,
                                 .cosines = cosines,
                                 .decays = decays,
                                 .distances = distances,
                                 .rescale = rescale,
                                 .all_within = all_within,
                                 .find_lines = find_lines,
                                 .read_words = read_words,
                                 .divide_shorts = divide_shorts};

}  // namespace rein::REIN_LEVEL
