// Eight doubles, in the registers of the level being compiled. Included once per level, by
// kernels_level.cc or kernels_wide.cc. The kernels call no inline function of the standard library:
// it would be compiled for a newer machine, and the linker might keep that copy for other files.
#pragma once

#if defined(__x86_64__)
// gcc 12 warns about undefined values inside its own header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

namespace rein::REIN_LEVEL {

// Loops with a constant index in every iteration, so that their data stays in registers.
//     unrolled<4>([&](auto i) REIN_INLINE { row[i] = ...; });
#define REIN_INLINE __attribute__((always_inline))
template <int I>
struct Index {
  static constexpr int value = I;
  constexpr operator int() const { return I; }  // NOLINT: converts to its number
};
template <int N, int I = 0, class F>
REIN_INLINE inline void unrolled(const F& f) {
  if constexpr (I < N) {
    f(Index<I>{});
    unrolled<N, I + 1>(f);
  }
}

#if defined(__AVX512F__)

// Only what kernels_solve.h needs.
struct Lanes {
  __m512d v;
  static Lanes load(const double* p) { return {_mm512_loadu_pd(p)}; }
  static Lanes all(double x) { return {_mm512_set1_pd(x)}; }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
};
inline Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
// c - a b
inline Lanes fnma(Lanes a, Lanes b, Lanes c) { return {_mm512_fnmadd_pd(a.v, b.v, c.v)}; }
// Sizes that fit in registers: accumulators of one block, and blocks at a time.
constexpr int kRowGroup = 8;
constexpr int kBlockGroup = 2;

#elif defined(__AVX2__)

struct Lanes {
  __m256d a, b;
  static Lanes load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static Lanes all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  static Lanes load_part(const double* p, long n) {  // the rest is 0
    return {_mm256_maskload_pd(p, first(n)), _mm256_maskload_pd(p + 4, first(n - 4))};
  }
  static Lanes load_part(const double* p, long n, double rest) {
    const __m256i low = first(n), high = first(n - 4);
    const __m256d fill = _mm256_set1_pd(rest);
    return {_mm256_blendv_pd(fill, _mm256_maskload_pd(p, low), _mm256_castsi256_pd(low)),
            _mm256_blendv_pd(fill, _mm256_maskload_pd(p + 4, high), _mm256_castsi256_pd(high))};
  }
  void store(double* p) const {
    _mm256_storeu_pd(p, a);
    _mm256_storeu_pd(p + 4, b);
  }
  void store_part(double* p, long n) const {
    _mm256_maskstore_pd(p, first(n), a);
    _mm256_maskstore_pd(p + 4, first(n - 4), b);
  }
  static __m256i first(long n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};
inline Lanes operator+(Lanes x, Lanes y) {
  return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
inline Lanes operator*(Lanes x, Lanes y) {
  return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
inline Lanes operator/(Lanes x, Lanes y) {
  return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)};
}
inline Lanes fma(Lanes x, Lanes y, Lanes z) {
  return {_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)};
}
inline Lanes fnma(Lanes x, Lanes y, Lanes z) {
  return {_mm256_fnmadd_pd(x.a, y.a, z.a), _mm256_fnmadd_pd(x.b, y.b, z.b)};
}
inline Lanes sqrt(Lanes x) { return {_mm256_sqrt_pd(x.a), _mm256_sqrt_pd(x.b)}; }
inline Lanes min(Lanes x, Lanes y) { return {_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)}; }
inline Lanes max(Lanes x, Lanes y) { return {_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)}; }
inline void transpose_four(__m256d& r0, __m256d& r1, __m256d& r2, __m256d& r3) {
  const __m256d t0 = _mm256_unpacklo_pd(r0, r1), t1 = _mm256_unpackhi_pd(r0, r1);
  const __m256d t2 = _mm256_unpacklo_pd(r2, r3), t3 = _mm256_unpackhi_pd(r2, r3);
  r0 = _mm256_permute2f128_pd(t0, t2, 0x20);
  r1 = _mm256_permute2f128_pd(t1, t3, 0x20);
  r2 = _mm256_permute2f128_pd(t0, t2, 0x31);
  r3 = _mm256_permute2f128_pd(t1, t3, 0x31);
}
inline void transpose(Lanes (&r)[8]) {
  transpose_four(r[0].a, r[1].a, r[2].a, r[3].a);
  transpose_four(r[4].b, r[5].b, r[6].b, r[7].b);
  transpose_four(r[0].b, r[1].b, r[2].b, r[3].b);
  transpose_four(r[4].a, r[5].a, r[6].a, r[7].a);
  for (int i = 0; i < 4; ++i) {
    const __m256d corner = r[i].b;
    r[i].b = r[i + 4].a;
    r[i + 4].a = corner;
  }
}
constexpr int kRowGroup = 4;
constexpr int kBlockGroup = 1;

#else

// Plain loops for all other machines. With an fma instruction (aarch64) the compiler vectorises
// them. Without one (x86-64-v2) the C library gives the same bits, slowly.
struct Lanes {
  double v[8];
  static Lanes load(const double* p) {
    Lanes x;
    for (int i = 0; i < 8; ++i) x.v[i] = p[i];
    return x;
  }
  static Lanes all(double value) {
    Lanes x;
    for (double& lane : x.v) lane = value;
    return x;
  }
  static Lanes load_part(const double* p, long n, double rest = 0.0) {
    Lanes x;
    for (int i = 0; i < 8; ++i) x.v[i] = i < n ? p[i] : rest;
    return x;
  }
  void store(double* p) const {
    for (int i = 0; i < 8; ++i) p[i] = v[i];
  }
  void store_part(double* p, long n) const {
    for (int i = 0; i < n; ++i) p[i] = v[i];
  }
};
template <class F>
inline Lanes each(F f) {
  Lanes out;
  for (int i = 0; i < 8; ++i) out.v[i] = f(i);
  return out;
}
inline Lanes operator+(Lanes x, Lanes y) {
  return each([&](int i) { return x.v[i] + y.v[i]; });
}
inline Lanes operator*(Lanes x, Lanes y) {
  return each([&](int i) { return x.v[i] * y.v[i]; });
}
inline Lanes operator/(Lanes x, Lanes y) {
  return each([&](int i) { return x.v[i] / y.v[i]; });
}
inline Lanes fma(Lanes x, Lanes y, Lanes z) {
  return each([&](int i) { return __builtin_fma(x.v[i], y.v[i], z.v[i]); });
}
inline Lanes fnma(Lanes x, Lanes y, Lanes z) {
  return each([&](int i) { return __builtin_fma(-x.v[i], y.v[i], z.v[i]); });
}
inline Lanes sqrt(Lanes x) {
  return each([&](int i) { return __builtin_sqrt(x.v[i]); });
}
inline Lanes min(Lanes x, Lanes y) {
  return each([&](int i) { return x.v[i] < y.v[i] ? x.v[i] : y.v[i]; });
}
inline Lanes max(Lanes x, Lanes y) {
  return each([&](int i) { return x.v[i] > y.v[i] ? x.v[i] : y.v[i]; });
}
inline void transpose(Lanes (&r)[8]) {
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < i; ++j) {
      const double corner = r[i].v[j];
      r[i].v[j] = r[j].v[i];
      r[j].v[i] = corner;
    }
  }
}
constexpr int kRowGroup = 4;
constexpr int kBlockGroup = 1;

#endif

#if !defined(__AVX512F__)

// Four doubles, for code limited by latency: narrow roots and divisions finish sooner.
#if defined(__AVX2__)
struct Four {
  __m256d v;
  // Loads numbers that were just computed. A plain load would wait: the processor cannot forward
  // four separate stores to one load.
  static Four load(const double* p) { return {_mm256_setr_pd(p[0], p[1], p[2], p[3])}; }
  void store(double* p) const { _mm256_storeu_pd(p, v); }
};
inline Four operator*(Four x, Four y) { return {_mm256_mul_pd(x.v, y.v)}; }
inline Four operator/(Four x, Four y) { return {_mm256_div_pd(x.v, y.v)}; }
inline Four sqrt(Four x) { return {_mm256_sqrt_pd(x.v)}; }
#else
struct Four {
  double v[4];
  static Four load(const double* p) { return {{p[0], p[1], p[2], p[3]}}; }
  void store(double* p) const {
    for (int i = 0; i < 4; ++i) p[i] = v[i];
  }
};
inline Four operator*(Four x, Four y) {
  for (int i = 0; i < 4; ++i) x.v[i] *= y.v[i];
  return x;
}
inline Four operator/(Four x, Four y) {
  for (int i = 0; i < 4; ++i) x.v[i] /= y.v[i];
  return x;
}
inline Four sqrt(Four x) {
  for (double& lane : x.v) lane = __builtin_sqrt(lane);
  return x;
}
#endif

// The sum of the eight, always in this order: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
#if defined(__AVX2__)
inline double sum(Lanes x) {
  const __m256d pairs = _mm256_hadd_pd(x.a, x.b);  // 0 + 1, 4 + 5, 2 + 3, 6 + 7
  const __m128d fours = _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
  return _mm_cvtsd_f64(_mm_add_sd(fours, _mm_unpackhi_pd(fours, fours)));
}
// The sums of four of them.
inline void write_sums(const Lanes (&r)[4], double* out) {
  const auto half = [](__m256d r0, __m256d r1, __m256d r2, __m256d r3) {
    const __m256d low = _mm256_hadd_pd(r0, r1), high = _mm256_hadd_pd(r2, r3);
    return _mm256_add_pd(_mm256_permute2f128_pd(low, high, 0x20),
                         _mm256_permute2f128_pd(low, high, 0x31));
  };
  _mm256_storeu_pd(out, _mm256_add_pd(half(r[0].a, r[1].a, r[2].a, r[3].a),
                                      half(r[0].b, r[1].b, r[2].b, r[3].b)));
}
#else
inline double sum(Lanes x) {
  return ((x.v[0] + x.v[1]) + (x.v[2] + x.v[3])) + ((x.v[4] + x.v[5]) + (x.v[6] + x.v[7]));
}
#endif
template <int N>
inline void write_sums(const Lanes (&r)[N], double* out) {
  for (int i = 0; i < N; ++i) out[i] = sum(r[i]);
}
// The sums of eight of them, each in that order. Overwrites the rows.
inline Lanes sums(Lanes (&r)[8]) {
  transpose(r);
  return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
}

#endif

}  // namespace rein::REIN_LEVEL
