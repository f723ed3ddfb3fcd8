#include "log/known_words.h"

#include <algorithm>
#include <bit>

namespace rein {
namespace {

constexpr std::size_t kMostWords = 64;  // of one call
constexpr std::size_t kSpare = 3;       // as Kernels::read_brief wants it

using Guess = FeatureTable::Guess;

// Reads a number in any form and adds it to `out`, unless it is 0. False if it is none.
bool read_single(const char* at, const char* stop, const Guess& guess, bool json,
                 FeatureList& out) {
  double value = 0.0;
  bool zero = false;
  if (at >= stop) return false;
  if (json && *at != '-' && static_cast<unsigned char>(*at - '0') >= 10) return false;
  if (!read_word(at, stop, value, zero)) return false;
  if (!zero) out.add(guess.number, value);
  return true;
}

// The same for many that looked brief, up to the first that is none; returns how many were read.
[[gnu::noinline]] std::size_t read_singly(const BriefNumber* numbers, std::size_t count,
                                          const Guess* guesses, bool json, FeatureList& out) {
  std::size_t i = 0;
  for (; i < count; ++i) {
    const char* const digit = numbers[i].digit;
    const std::uint64_t minus = numbers[i].form >> 63U, decimals = numbers[i].form >> 4U & 7U;
    if (!read_single(digit - minus, digit + 2 + decimals, guesses[i], json, out)) break;
  }
  return i;
}

// The expected words from `word` on whose numbers look brief, up to the first that is none of them;
// returns how many they are. The loop runs once per feature of a log. It is a function of its own, so
// that all it needs is in registers.
template <char last>
[[gnu::noinline]] std::size_t find_brief(const char* word, const char* const* stops,
                                         const Guess* guess, std::size_t most,
                                         BriefNumber* numbers) {
  std::size_t count = 0;
  do {
    if (!guess->stands(word)) break;
    const char* const stop = stops[count];
    const char* const number = word + guess->size;
    const auto minus = static_cast<std::uint64_t>(*number == '-');
    const char* const digit = number + minus;
    const auto decimals = static_cast<std::uint64_t>(stop - digit - 2);
    if (decimals - 1 >= 7 || digit[1] != '.') break;
    numbers[count++] = {digit, std::rotr(decimals << 5U | minus, 1)};
    if (*stop == last) break;
    word = stop + 1;
    ++guess;
  } while (count < most && guess->joins);
  return count;
}

}  // namespace

template <char last>
std::size_t read_known_words(const char*& at, const WordEnds& ends, std::size_t from,
                             std::int32_t space, FeatureTable& table, FeatureList& out) {
  const std::span<const Guess> guesses = table.guesses();
  const std::size_t most = std::min({guesses.size(), ends.count() - from, kMostWords});
  if (most == 0 || !guesses[0].stands(at) || guesses[0].space != space) return 0;

  BriefNumber numbers[kMostWords + kSpare];
  const char* const* const stops = ends.from(from);
  std::size_t count = find_brief<last>(at, stops, guesses.data(), most, numbers);
  const bool json = table.style() == FeatureTable::Style::kJson;
  const FeatureList::Room room = out.more(count + kSpare);
  if (count == 0) {  // a number in another form
    count = read_single(at + guesses[0].size, stops[0], guesses[0], json, out) ? 1 : 0;
  } else if (kernels().read_brief(numbers, static_cast<int>(count), room.value)) [[likely]] {
    for (std::size_t i = 0; i < count; ++i) room.index[i] = guesses[i].number;
    out.took(count);
  } else {  // one of them is 0, or no number
    count = read_singly(numbers, count, guesses.data(), json, out);
  }
  if (count > 0) at = stops[count - 1];
  table.accept_many(count);
  return count;
}

template std::size_t read_known_words<'|'>(const char*&, const WordEnds&, std::size_t, std::int32_t,
                                           FeatureTable&, FeatureList&);
template std::size_t read_known_words<'}'>(const char*&, const WordEnds&, std::size_t, std::int32_t,
                                           FeatureTable&, FeatureList&);

}  // namespace rein
