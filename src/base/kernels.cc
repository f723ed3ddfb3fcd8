#include "base/kernels.h"

#include <cstdlib>

#include "base/check.h"

namespace rein {

std::size_t packed_at(int d, int row, int column) {
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  const int panel = row / kLanes;
  const int first = panel * kLanes;  // first row of the panel
  const int height = d - first < kLanes ? d - first : kLanes;
  if (column < first) {
    return size(kLanes * kLanes) * (size(panel) * size(panel - 1) / 2) +
           size(height) * size(column) + size(row - first);
  }
  // All triangles follow all rectangular parts.
  const int full = d / kLanes;
  const std::size_t left = size(kLanes * kLanes) * (size(full) * size(full - 1) / 2) +
                           size(d - full * kLanes) * size(full * kLanes);
  const int c = column - first;
  return left + size(panel) * packed_size(kLanes) + size(c * height - c * (c - 1) / 2) +
         size(row - column);
}

#if defined(__x86_64__)

namespace v2 {
extern const Kernels kKernels;
}
namespace v3 {
extern const Kernels kKernels;
}
namespace v4 {
extern Solve* const kSolve;
}

namespace {

// Solving several blocks is limited by multiplications, and 512-bit registers do twice as many. All
// other kernels wait for memory or for earlier results, and are slower with 512 bits. So are small
// solves.
void solve_wide(const double* factor, int d, double* columns, int blocks, const double* c,
                int heads, double* squares, double* dots) {
  Solve* solve = blocks > 1 && d >= 32 ? v4::kSolve : v3::kKernels.solve;
  solve(factor, d, columns, blocks, c, heads, squares, dots);
}

const Kernels& mostly_v3() {
  static const Kernels mixed = [] {
    Kernels kernels = v3::kKernels;
    kernels.level = "v4";
    kernels.solve = solve_wide;
    return kernels;
  }();
  return mixed;
}

}  // namespace

namespace {

// Older clangs know the features of a level but not its name. Every machine with these features has
// the whole level.
bool has_v3() {
#ifdef __clang__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
  return __builtin_cpu_supports("x86-64-v3");
#endif
}
bool has_v4() {
#ifdef __clang__
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return __builtin_cpu_supports("x86-64-v4");
#endif
}

}  // namespace

const Kernels* kernels_at(std::string_view level) {
  if (level == "v4") return has_v4() ? &mostly_v3() : nullptr;
  if (level == "v3") return has_v3() ? &v3::kKernels : nullptr;
  if (level == "v2") return &v2::kKernels;
  return nullptr;
}

#else

namespace plain {
extern const Kernels kKernels;
}

const Kernels* kernels_at(std::string_view level) {
  return level == "plain" ? &plain::kKernels : nullptr;
}

#endif

namespace {

const Kernels& choose() {
  if (const char* wanted = std::getenv("REIN_CPU"); wanted && *wanted) {
    if (const Kernels* found = kernels_at(wanted)) return *found;
    std::string accepted;
    for (const char* level : kLevels) {
      if (kernels_at(level)) accepted += accepted.empty() ? level : std::string(", ") + level;
    }
    throw Failure("REIN_CPU: found \"" + std::string(wanted) +
                  "\"; accepted on this machine: " + accepted);
  }
  const Kernels* best = nullptr;
  for (const char* level : kLevels) {
    if (const Kernels* found = kernels_at(level)) best = found;
  }
  return *best;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace rein
