// Memory aligned to cache lines, so that a load of eight doubles never crosses a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "base/memory.h"
#include "rein/scratch.h"

namespace rein {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kLineDoubles = kCacheLine / sizeof(double);

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: allocators convert implicitly
  T* allocate(std::size_t n) {
    void* p = ::operator new (n * sizeof(T), std::align_val_t{kCacheLine}, std::nothrow);
    if (p == nullptr) throw TooMuch(n * sizeof(T));
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kCacheLine}); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

using AlignedDoubles = std::vector<double, AlignedAllocator<double>>;

// The first double at or after `at` that begins a cache line.
inline double* align_up(double* at) {
  const auto past = reinterpret_cast<std::uintptr_t>(at) / sizeof(double) % kLineDoubles;
  return at + (kLineDoubles - past) % kLineDoubles;
}

// The next `count` doubles of a scratch, aligned to a cache line. Takes kLineDoubles more.
inline std::span<double> take_aligned(Scratch& scratch, std::size_t count) {
  const std::span<double> taken = scratch.take(count + kLineDoubles);
  const auto past = reinterpret_cast<std::uintptr_t>(taken.data()) / sizeof(double) % kLineDoubles;
  return taken.subspan((kLineDoubles - past) % kLineDoubles, count);
}

}  // namespace rein
