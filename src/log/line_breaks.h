// find_breaks: the places of spaces, tabs and bars in a line, all at once.
//
// A parser that looks for the end of each word before it reads the next one waits for every byte. With
// the places known beforehand, the processor reads several words at the same time.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "log/fast_number.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rein {

#if defined(__SSE2__)
// Bit i: byte i of the 64 bytes at `at` is a space, a tab or a bar.
inline std::uint64_t break_bits(const char* at) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i);
    const __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('|'))),
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')));
    bits |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(found)))
            << (16 * i);
  }
  return bits;
}
#else
inline std::uint64_t break_bits(const char* at) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) {
    const bool found = at[i] == ' ' || at[i] == '|' || at[i] == '\t';
    bits |= std::uint64_t{found} << i;
  }
  return bits;
}
#endif

// The places in [0, size), and then size itself. kLinePadding bytes after the text can be read.
inline std::size_t find_breaks(const char* text, std::size_t size,
                               std::vector<std::uint32_t>& out) {
  static_assert(kLinePadding >= 64);
  constexpr std::size_t kAtOnce = 8;
  if (out.size() < size + 64 + kAtOnce) out.resize(size + 64 + kAtOnce);
  std::uint32_t* next = out.data();
  for (std::size_t base = 0; base < size; base += 64) {
    std::uint64_t bits = break_bits(text + base);
    if (size - base < 64) bits &= (std::uint64_t{1} << (size - base)) - 1;
    const auto count = static_cast<std::size_t>(std::popcount(bits));
    // Mostly there are fewer than eight: no branch for each.
    std::size_t done = 0;
    do {
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        next[done + i] =
            static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(std::countr_zero(bits));
        bits &= bits - 1;
      }
      done += kAtOnce;
    } while (done < count);
    next += count;
  }
  *next++ = static_cast<std::uint32_t>(size);
  return static_cast<std::size_t>(next - out.data());
}

}  // namespace rein
