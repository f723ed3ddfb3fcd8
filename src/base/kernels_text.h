// Reading logs: many short decimal numbers at once. Included only by kernels_level.cc. The numbers are
// rounded once and correctly, so all levels give the same bits.
#pragma once

#include "base/kernels.h"
#include "base/lanes.h"

namespace rein::REIN_LEVEL {

constexpr double kBriefScale = 1e7;  // a brief number is a whole number of these parts

#if defined(__SSE4_1__)

// How the bytes of `d.ddd` become eight digits, by their number; the point becomes byte 8. 0x80
// gives a zero. Numbers of another form have no point.
struct BriefShuffle {
  alignas(16) char from[16][16];
};
constexpr BriefShuffle brief_shuffle() {
  BriefShuffle out{};
  for (int size = 0; size < 16; ++size) {
    const int decimals = size - 2;
    const bool brief = decimals >= 0 && decimals < 8;
    for (int i = 0; i < 16; ++i) {
      const int place = i == 0 ? 0 : i == 8 ? 1 : i <= decimals ? i + 1 : 0x80;
      out.from[size][i] = static_cast<char>(brief ? place : 0x80);
    }
  }
  return out;
}
constexpr BriefShuffle kBriefShuffle = brief_shuffle();

// The signs of four numbers: bit i says that number i is negative.
struct BriefSigns {
  alignas(32) double of[16][4];
};
constexpr BriefSigns brief_signs() {
  BriefSigns out{};
  for (int bits = 0; bits < 16; ++bits) {
    for (int i = 0; i < 4; ++i) out.of[bits][i] = (bits >> i & 1) != 0 ? -0.0 : 0.0;
  }
  return out;
}
constexpr BriefSigns kBriefSigns = brief_signs();

// Four whole numbers over kBriefScale, with signs.
inline void write_four(__m128i whole, const double* signs, double* out) {
#if defined(__AVX2__)
  const __m256d value = _mm256_div_pd(_mm256_cvtepi32_pd(whole), _mm256_set1_pd(kBriefScale));
  _mm256_storeu_pd(out, _mm256_or_pd(value, _mm256_load_pd(signs)));
#else
  for (int i = 0; i < 4; i += 2) {
    const __m128d value = _mm_div_pd(_mm_cvtepi32_pd(whole), _mm_set1_pd(kBriefScale));
    _mm_storeu_pd(out + i, _mm_or_pd(value, _mm_load_pd(signs + i)));
    whole = _mm_shuffle_epi32(whole, 0xee);
  }
#endif
}

inline __m128i load_bytes(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

// Reads four words without a branch per word. Errors of all four are gathered and tested once.
class FourWords {
 public:
  // Word k, in the order of k.
  template <std::size_t K>
  REIN_INLINE void read(const char* word, const char* end, const ExpectedText& expected,
                        __m128i counts) {
    const __m128i other = _mm_xor_si128(load_bytes(word - 1), load_bytes(expected.head));
    wrong_ = _mm_or_si128(wrong_,
                          _mm_and_si128(_mm_and_si128(other, counts), load_bytes(expected.mask)));
    const char* digit = word + expected.size;
    const std::size_t minus = *digit == '-';
    digit += minus;
    signs_ += minus << K;
    const auto size = static_cast<std::size_t>(end - digit);
    sizes_ |= size;
    digits_[K] = _mm_shuffle_epi8(
        _mm_sub_epi8(load_bytes(digit), _mm_set1_epi8('0')),
        _mm_load_si128(reinterpret_cast<const __m128i*>(kBriefShuffle.from[size & 15U])));
  }
  // Takes one word for another, which is not there.
  template <std::size_t From, std::size_t To>
  REIN_INLINE void repeat() {
    digits_[To] = digits_[From];
  }
  // Writes the numbers; false if some word was wrong or 0.
  REIN_INLINE bool write(double* out) const {
    const __m128i tens = _mm_set1_epi16(0x010a), hundreds = _mm_set1_epi32(0x00010064);
    const __m128i thousands = _mm_set1_epi32(0x00012710), nine = _mm_set1_epi8(9);
    const __m128i low = _mm_unpacklo_epi64(digits_[0], digits_[1]);
    const __m128i high = _mm_unpacklo_epi64(digits_[2], digits_[3]);
    const __m128i parts = _mm_packs_epi32(_mm_madd_epi16(_mm_maddubs_epi16(low, tens), hundreds),
                                          _mm_madd_epi16(_mm_maddubs_epi16(high, tens), hundreds));
    const __m128i whole = _mm_madd_epi16(parts, thousands);
    write_four(whole, kBriefSigns.of[signs_], out);
    // Bytes above nine, in any of the sixteen places.
    const __m128i above = _mm_subs_epu8(_mm_max_epu8(low, high), nine);
    const __m128i zeros = _mm_cmpeq_epi32(whole, _mm_setzero_si128());
    const __m128i point = _mm_set1_epi64x('.' - '0' + 256);
    const __m128i no_points =
        _mm_or_si128(_mm_xor_si128(_mm_unpackhi_epi64(digits_[0], digits_[1]), point),
                     _mm_xor_si128(_mm_unpackhi_epi64(digits_[2], digits_[3]), point));
    const __m128i wrong = _mm_or_si128(_mm_or_si128(wrong_, above), _mm_or_si128(zeros, no_points));
    return _mm_testz_si128(wrong, wrong) != 0 && sizes_ < 16;
  }

 private:
  __m128i wrong_ = _mm_setzero_si128();
  __m128i digits_[4];
  std::size_t signs_ = 0, sizes_ = 0;
};

inline std::size_t read_words(const char* at, const char* const* ends, const ExpectedText* expected,
                              std::size_t count, double* out) {
  const __m128i all = _mm_set1_epi8(-1);
  __m128i counts = _mm_slli_si128(all, 1);  // any byte can stand before the first word
  const char* word = at;
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    FourWords four;
    four.read<0>(word, ends[i], expected[i], counts);
    four.read<1>(ends[i] + 1, ends[i + 1], expected[i + 1], all);
    four.read<2>(ends[i + 1] + 1, ends[i + 2], expected[i + 2], all);
    four.read<3>(ends[i + 2] + 1, ends[i + 3], expected[i + 3], all);
    if (!four.write(out + i)) return i;
    word = ends[i + 3] + 1;
    counts = all;
  }
  if (i == count) return i;
  FourWords four;  // those that are missing repeat others
  four.read<0>(word, ends[i], expected[i], counts);
  if (i + 1 < count) {
    four.read<1>(ends[i] + 1, ends[i + 1], expected[i + 1], all);
  } else {
    four.repeat<0, 1>();
  }
  if (i + 2 < count) {
    four.read<2>(ends[i + 1] + 1, ends[i + 2], expected[i + 2], all);
  } else {
    four.repeat<0, 2>();
  }
  four.repeat<0, 3>();
  return four.write(out + i) ? count : i;
}

#else

inline bool read_brief(const char* digit, const char* end, bool minus, double& out) {
  const long decimals = end - digit - 2;
  if (decimals < 0 || decimals > 7 || digit[1] != '.') return false;
  long digits = 0;
  for (long j = 0; j < 8; ++j) {
    const unsigned next =
        j > decimals ? 0U : static_cast<unsigned char>(digit[j == 0 ? 0 : j + 1] - '0');
    if (next > 9) return false;
    digits = 10 * digits + static_cast<long>(next);
  }
  const double value = static_cast<double>(digits) / kBriefScale;
  out = minus ? -value : value;
  return digits != 0;
}

inline std::size_t read_words(const char* at, const char* const* ends, const ExpectedText* expected,
                              std::size_t count, double* out) {
  const char* word = at;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t text[2];
    __builtin_memcpy(text, word - 1, sizeof text);
    std::uint64_t other = (text[0] ^ expected[i].head[0]) & expected[i].mask[0];
    if (i == 0) other &= ~std::uint64_t{0xff};  // any byte can stand before the first word
    if ((other | ((text[1] ^ expected[i].head[1]) & expected[i].mask[1])) != 0) return i;
    const char* const number = word + expected[i].size;
    const bool minus = *number == '-';
    if (!read_brief(number + (minus ? 1 : 0), ends[i], minus, out[i])) return i;
    word = ends[i] + 1;
  }
  return count;
}

#endif

inline void divide_shorts(const char* numbers, std::size_t count, double scale, double* out) {
  std::size_t i = 0;
#if defined(__AVX2__)
  // A quotient, corrected by its remainder: the same bits as a division, for all these numbers and
  // scales, but the processor need not wait for one division after the other.
  const __m256d by = _mm256_set1_pd(scale), part = _mm256_set1_pd(1.0 / scale);
  for (; i + 4 <= count; i += 4) {
    const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(numbers + 2 * i));
    const __m256d x = _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(four));
    const __m256d near = _mm256_mul_pd(x, part);
    _mm256_storeu_pd(out + i, _mm256_fmadd_pd(_mm256_fnmadd_pd(near, by, x), part, near));
  }
#endif
  for (; i < count; ++i) {
    std::int16_t number;
    __builtin_memcpy(&number, numbers + 2 * i, sizeof number);
    out[i] = static_cast<double>(number) / scale;
  }
}

}  // namespace rein::REIN_LEVEL
