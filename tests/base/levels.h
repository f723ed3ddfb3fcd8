// Helpers for tests of kernels: inputs, and one run per x86 level.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/kernels.h"
#include "rein/rng.h"

namespace rein {

inline constexpr int kMostRows = 40;       // d of a factor
inline constexpr int kMostNumbers = 100;   // n of a plain loop
inline constexpr double kGuard = 12345.5;  // placed after the end of what a kernel may write
using Doubles = std::vector<double>;

inline Doubles some(Rng& rng, int n, double low = -1.0, double high = 1.0) {
  Doubles x(static_cast<std::size_t>(n));
  for (double& v : x) v = low + (high - low) * rng.uniform();
  return x;
}

// Room for n numbers and eight guards.
inline Doubles room(int n) { return Doubles(static_cast<std::size_t>(n) + 8, kGuard); }
inline void expect_guarded(const Doubles& x, int n) {
  for (std::size_t i = static_cast<std::size_t>(n); i < x.size(); ++i) {
    ASSERT_EQ(x[i], kGuard) << "wrote past the end, at " << i << " of " << n;
  }
}

inline bool same_bits(const Doubles& a, const Doubles& b) {
  if (a.size() != b.size()) return false;
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

inline void expect_near(const Doubles& found, const Doubles& wanted, double tolerance) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(found[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << "at " << i;
  }
}

inline double naive_dot(const double* a, const double* b, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Every kernel's results on one set of inputs: first compared with a plain loop, then, as `bits`,
// with those of other levels.
class KernelsAt : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernel = *GetParam();
  const Kernels& plain = *kernels_at(kLevels[0]);
  Rng rng{17};
};

}  // namespace rein
