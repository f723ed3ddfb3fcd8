#include "schema/words.h"

#include <cmath>

#include "schema/text_hash.h"

namespace rein {
namespace {

// The byte as it counts in a word, or 0 between words.
unsigned char in_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 'A' && byte <= 'Z') return static_cast<unsigned char>(byte - 'A' + 'a');
  const bool counts = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80;
  return counts ? byte : static_cast<unsigned char>(0);
}

// Calls `with` for the hash of every word.
template <class With>
void each_word(std::string_view text, With with) {
  for (std::size_t at = 0; at < text.size();) {
    TextHash hash;
    const std::size_t begin = at;
    for (; at < text.size(); ++at) {
      const unsigned char byte = in_word(text[at]);
      if (byte == 0) break;
      hash.add(byte);
    }
    if (at > begin) with(hash.value());
    ++at;
  }
}

}  // namespace

void hash_words(std::string_view text, bool with_sign, std::span<double> out) {
  std::size_t words = 0;
  each_word(text, [&](std::uint64_t hash) {
    out[bucket_of(hash, out.size())] += with_sign ? sign_of(hash) : 1.0;
    ++words;
  });
  if (words < 2) return;
  const double root = std::sqrt(static_cast<double>(words));
  for (double& x : out) x /= root;
}

bool has_several_words(std::string_view text) {
  int words = 0;
  each_word(text, [&](std::uint64_t) { ++words; });
  return words > 1;
}

}  // namespace rein
