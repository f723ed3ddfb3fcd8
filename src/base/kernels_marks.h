// Reading logs: the places of some bytes in a text. Included only by kernels_level.cc.
#pragma once

#include "base/kernels.h"
#include "base/lanes.h"

namespace rein::REIN_LEVEL {

// Bit i of each: byte i of 64 bytes is a mark or ends a line; ends a line; is above 127.
struct BlockBits {
  std::uint64_t marks, ends, high;
};

#if defined(__SSE4_1__)

// A byte is a mark if it is what the table has for its lowest four bits.
class MarkFinder {
 public:
  explicit MarkFinder(const Marks& marks) {
    alignas(16) char table[16];
    for (int i = 0; i < 16; ++i) table[i] = static_cast<char>(15 - i);  // no byte looks here for it
    const char bytes[] = {marks.a, marks.b, marks.c, '\n'};
    for (const char mark : bytes) table[mark & 15] = mark;
    const __m128i found = _mm_load_si128(reinterpret_cast<const __m128i*>(table));
#if defined(__AVX2__)
    table_ = _mm256_broadcastsi128_si256(found);
#else
    table_ = found;
#endif
  }
  BlockBits find(const char* from) const {
#if defined(__AVX2__)
    const auto bits = [&](auto f) REIN_INLINE {
      const auto half = [&](const char* at) REIN_INLINE {
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(f(bytes)))};
      };
      return half(from) | half(from + 32) << 32;
    };
    return {
        bits([&](__m256i x)
                 REIN_INLINE { return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table_, x), x); }),
        bits([&](__m256i x) REIN_INLINE { return _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\n')); }),
        bits([&](__m256i x) REIN_INLINE { return x; })};
#else
    const auto bits = [&](auto f) REIN_INLINE {
      std::uint64_t out = 0;
      unrolled<4>([&](auto i) REIN_INLINE {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i);
        out |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(f(bytes)))} << (16 * i);
      });
      return out;
    };
    return {
        bits([&](__m128i x) REIN_INLINE { return _mm_cmpeq_epi8(_mm_shuffle_epi8(table_, x), x); }),
        bits([&](__m128i x) REIN_INLINE { return _mm_cmpeq_epi8(x, _mm_set1_epi8('\n')); }),
        bits([&](__m128i x) REIN_INLINE { return x; })};
#endif
  }

 private:
#if defined(__AVX2__)
  __m256i table_;
#else
  __m128i table_;
#endif
};

#else

class MarkFinder {
 public:
  explicit MarkFinder(const Marks& marks) : marks_(marks) {}
  BlockBits find(const char* from) const {
    BlockBits out{};
    for (int i = 0; i < 64; ++i) {
      const char c = from[i];
      const bool end = c == '\n';
      const bool mark = end || c == marks_.a || c == marks_.b || c == marks_.c;
      out.marks |= std::uint64_t{mark} << i;
      out.ends |= std::uint64_t{end} << i;
      out.high |= std::uint64_t{static_cast<unsigned char>(c) > 127U} << i;
    }
    return out;
  }

 private:
  Marks marks_;
};

#endif

// The place of the lowest bit; any number if there is none.
inline std::size_t lowest_bit(std::uint64_t bits) {
#if defined(__BMI__)
  return _tzcnt_u64(bits);
#else
  return static_cast<std::size_t>(__builtin_ctzll(bits | std::uint64_t{1} << 63U));
#endif
}

inline MarkedLines find_lines(const char* text, std::size_t size, const Marks& marks,
                              const char** places, std::uint32_t* lines) {
  const MarkFinder finder(marks);
  const char** next = places;
  std::uint32_t* line = lines;
  std::uint64_t high = 0;
  const auto find = [&](const char* from, std::uint64_t counts) REIN_INLINE {
    const BlockBits found = finder.find(from);
    high |= found.high & counts;
    std::uint64_t bits = found.marks & counts, ends = found.ends & counts;
    // Mostly there is at most one end: no branch for it.
    const auto before = static_cast<std::uint32_t>(next - places);
    do {
      const std::uint64_t lower = (ends - 1) & ~ends;
      *line = before + static_cast<std::uint32_t>(__builtin_popcountll(bits & lower));
      line += ends != 0 ? 1 : 0;
      ends &= ends - 1;
    } while (ends != 0);
    // Mostly there are fewer than eight marks: no branch for each.
    const long count = __builtin_popcountll(bits);
    for (long done = 0; done < count; done += 8) {
      unrolled<8>([&](auto i) REIN_INLINE {
        next[done + i] = from + lowest_bit(bits);
        bits &= bits - 1;
      });
    }
    next += count;
  };
  std::size_t base = 0;
  for (; base + 64 <= size; base += 64) find(text + base, ~std::uint64_t{0});
  if (base < size) find(text + base, (std::uint64_t{1} << (size - base)) - 1);
  return {static_cast<std::size_t>(next - places), static_cast<std::size_t>(line - lines),
          high == 0};
}

}  // namespace rein::REIN_LEVEL
