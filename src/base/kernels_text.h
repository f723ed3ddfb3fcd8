// Reading text: the places of some bytes, and many short decimal numbers at once. Included only by
// kernels_level.cc. The numbers are rounded once and correctly, so all levels give the same bits.
#pragma once

#include "base/kernels.h"
#include "base/lanes.h"

namespace rein::REIN_LEVEL {

// Bit i: byte i of the 64 bytes at `at` is one of the marks.
inline std::uint64_t mark_bits(const char* at, Marks marks) {
#if defined(__AVX2__)
  const auto half = [&](const char* from) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m256i found =
        _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(marks.a)),
                                        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(marks.b))),
                        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(marks.c)));
    return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(found))};
  };
  return half(at) | half(at + 32) << 32;
#elif defined(__SSE2__)
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i);
    const __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(marks.a)),
                                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8(marks.b))),
                                       _mm_cmpeq_epi8(bytes, _mm_set1_epi8(marks.c)));
    bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(found))} << (16 * i);
  }
  return bits;
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) {
    const bool found = at[i] == marks.a || at[i] == marks.b || at[i] == marks.c;
    bits |= std::uint64_t{found} << i;
  }
  return bits;
#endif
}

// The place of the lowest bit; any number if there is none.
inline std::size_t lowest_bit(std::uint64_t bits) {
#if defined(__BMI__)
  return _tzcnt_u64(bits);
#else
  return static_cast<std::size_t>(__builtin_ctzll(bits | std::uint64_t{1} << 63U));
#endif
}

inline std::size_t find_marks(const char* text, std::size_t size, Marks marks,
                              const char** places) {
  const char** next = places;
  for (std::size_t base = 0; base < size; base += 64) {
    std::uint64_t bits = mark_bits(text + base, marks);
    if (size - base < 64) bits &= (std::uint64_t{1} << (size - base)) - 1;
    const long count = __builtin_popcountll(bits);
    // Mostly there are fewer than eight: no branch for each.
    for (long done = 0; done < count; done += 8) {
      unrolled<8>([&](auto i) REIN_INLINE {
        next[done + i] = text + base + lowest_bit(bits);
        bits &= bits - 1;
      });
    }
    next += count;
  }
  return static_cast<std::size_t>(next - places);
}

constexpr double kBriefScale = 1e7;  // a brief number is a whole number of these parts

#if defined(__SSSE3__)

// How the bytes of `d.ddd` become eight digits, for 0 to 7 decimals. 0x80 gives a zero.
struct BriefShuffle {
  alignas(16) char from[8][16];
};
constexpr BriefShuffle brief_shuffle() {
  BriefShuffle out{};
  for (int decimals = 0; decimals < 8; ++decimals) {
    for (int i = 0; i < 16; ++i) {
      const int place = i == 0 ? 0 : i <= decimals ? i + 1 : 0x80;
      out.from[decimals][i] = static_cast<char>(place);
    }
  }
  return out;
}
constexpr BriefShuffle kBriefShuffle = brief_shuffle();

// Eight digits, one per byte.
inline __m128i brief_digits(const BriefNumber& number) {
  const auto* bytes = reinterpret_cast<const __m128i*>(number.digit);
  const char* shuffle = &kBriefShuffle.from[0][0] + static_cast<unsigned char>(number.form);
  return _mm_shuffle_epi8(_mm_sub_epi8(_mm_loadu_si128(bytes), _mm_set1_epi8('0')),
                          _mm_load_si128(reinterpret_cast<const __m128i*>(shuffle)));
}

// The forms of two numbers. Two loads: memory cannot forward separate stores to one load.
inline __m128i two_forms(const BriefNumber* numbers) {
  return _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(&numbers[0].form)),
                            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&numbers[1].form)));
}

// Four whole numbers over kBriefScale, with the highest bits of their forms as signs.
inline void write_four(__m128i whole, const BriefNumber* numbers, double* out) {
#if defined(__AVX2__)
  // A quotient, corrected by its remainder: the same bits as a division (for all 10^8 numbers), but
  // the processor need not wait for one division after the other.
  const __m256d scale = _mm256_set1_pd(kBriefScale), part = _mm256_set1_pd(1.0 / kBriefScale);
  const __m256d x = _mm256_cvtepi32_pd(whole);
  const __m256d near = _mm256_mul_pd(x, part);
  const __m256d value = _mm256_fmadd_pd(_mm256_fnmadd_pd(near, scale, x), part, near);
  const __m256i forms = _mm256_set_m128i(two_forms(numbers + 2), two_forms(numbers));
  const __m256d signs = _mm256_and_pd(_mm256_castsi256_pd(forms), _mm256_set1_pd(-0.0));
  _mm256_storeu_pd(out, _mm256_or_pd(value, signs));
#else
  for (int i = 0; i < 4; i += 2) {
    const __m128d value = _mm_div_pd(_mm_cvtepi32_pd(whole), _mm_set1_pd(kBriefScale));
    const __m128d signs = _mm_and_pd(_mm_castsi128_pd(two_forms(numbers + i)), _mm_set1_pd(-0.0));
    _mm_storeu_pd(out + i, _mm_or_pd(value, signs));
    whole = _mm_shuffle_epi32(whole, 0xee);
  }
#endif
}

// Four numbers per step. The ones missing in the last step are `1.0`.
inline bool read_brief(BriefNumber* numbers, int count, double* out) {
  static const char one[17] = "1.0.............";
  for (long i = count; i % 4 != 0; ++i) numbers[i] = {one, 0x10};
  const __m128i tens = _mm_set1_epi16(0x010a), hundreds = _mm_set1_epi32(0x00010064);
  const __m128i thousands = _mm_set1_epi32(0x00012710), zero = _mm_setzero_si128();
  __m128i largest = zero, zeros = zero;
  for (long i = 0; i < count; i += 4) {
    const BriefNumber* four = numbers + i;
    const __m128i low = _mm_unpacklo_epi64(brief_digits(four[0]), brief_digits(four[1]));
    const __m128i high = _mm_unpacklo_epi64(brief_digits(four[2]), brief_digits(four[3]));
    largest = _mm_max_epu8(largest, _mm_max_epu8(low, high));
    const __m128i parts = _mm_packs_epi32(_mm_madd_epi16(_mm_maddubs_epi16(low, tens), hundreds),
                                          _mm_madd_epi16(_mm_maddubs_epi16(high, tens), hundreds));
    const __m128i whole = _mm_madd_epi16(parts, thousands);
    zeros = _mm_or_si128(zeros, _mm_cmpeq_epi32(whole, zero));
    write_four(whole, four, out + i);
  }
  const __m128i nine = _mm_set1_epi8(9);
  return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(largest, nine), nine)) == 0xffff &&
         _mm_movemask_epi8(zeros) == 0;
}

#else

inline bool read_brief(BriefNumber* numbers, int count, double* out) {
  bool sound = true;
  for (long i = 0; i < count; ++i) {
    const char* at = numbers[i].digit;
    const long decimals = static_cast<long>(numbers[i].form >> 4U & 7U);
    long digits = 0;
    for (long j = 0; j < 8; ++j) {
      const unsigned digit =
          j > decimals ? 0U : static_cast<unsigned char>(at[j == 0 ? 0 : j + 1] - '0');
      sound = sound && digit < 10;
      digits = 10 * digits + static_cast<long>(digit);
    }
    sound = sound && digits != 0;
    const double value = static_cast<double>(digits) / kBriefScale;
    out[i] = (numbers[i].form >> 63U) != 0 ? -value : value;
  }
  return sound;
}

#endif

}  // namespace rein::REIN_LEVEL
