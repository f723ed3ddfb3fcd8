// Whether a test runs under a sanitizer, where everything takes ten times as long. This is checked at
// run time, because the same objects are linked with it and without.
#pragma once

#include <cstdint>

extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
}

namespace rein {

inline bool sanitized() { return &__asan_init != nullptr || &__tsan_init != nullptr; }

// How often to repeat what is judged by statistics: a tenth as often under a sanitizer. There it only
// has to touch the memory.
inline std::uint64_t repeats(std::uint64_t all) { return sanitized() ? (all + 9) / 10 : all; }

}  // namespace rein
