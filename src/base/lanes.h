// Eight doubles, as the level being compiled holds them. Included by kernels_level.cc alone, once
// for each level; no standard headers, so that no inline function of theirs is compiled for a
// machine that other files do not ask for.
#pragma once

#include <immintrin.h>

namespace rein::REIN_LEVEL {

#if defined(__AVX512F__)

struct Lanes {
  __m512d v;
  static Lanes load(const double* p) { return {_mm512_loadu_pd(p)}; }
  static Lanes all(double x) { return {_mm512_set1_pd(x)}; }
  void store(double* p) const { _mm512_storeu_pd(p, v); }
};
inline Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_pd(a.v, b.v)}; }
inline Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_pd(a.v, b.v)}; }
inline Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
// c - a b
inline Lanes fnma(Lanes a, Lanes b, Lanes c) { return {_mm512_fnmadd_pd(a.v, b.v, c.v)}; }
inline Lanes sqrt(Lanes a) { return {_mm512_sqrt_pd(a.v)}; }
inline Lanes min(Lanes a, Lanes b) { return {_mm512_min_pd(a.v, b.v)}; }
inline Lanes max(Lanes a, Lanes b) { return {_mm512_max_pd(a.v, b.v)}; }
constexpr int kRowGroup = 8;  // accumulators that stay in registers

#elif defined(__AVX2__)

struct Lanes {
  __m256d a, b;
  static Lanes load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static Lanes all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
  void store(double* p) const {
    _mm256_storeu_pd(p, a);
    _mm256_storeu_pd(p + 4, b);
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
constexpr int kRowGroup = 4;

#else

// No fma in the instruction set: the C library's gives the same bits, slowly.
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
  void store(double* p) const {
    for (int i = 0; i < 8; ++i) p[i] = v[i];
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
constexpr int kRowGroup = 4;

#endif

// The sum of the eight, always in this order.
inline double sum(Lanes x) {
  double v[8];
  x.store(v);
  return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

}  // namespace rein::REIN_LEVEL
