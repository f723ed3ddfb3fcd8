#include "log/known_words.h"

#include <algorithm>
#include <cstring>

namespace rein {
namespace {

constexpr std::size_t kMostWords = 64;  // words of one call
constexpr std::size_t kSpare = 3;       // as Kernels::read_words wants it

// Whether the text stands at `at`. The byte before it does not count.
bool stands(const ExpectedText& text, const char* at) {
  std::uint64_t found[2];
  std::memcpy(found, at - 1, sizeof found);
  return (((found[0] ^ text.head[0]) & text.mask[0] & ~std::uint64_t{0xff}) |
          ((found[1] ^ text.head[1]) & text.mask[1])) == 0;
}

// Reads a number in any form and adds it to `out`, unless it is 0. False if it is none.
bool read_single(const char* at, const char* stop, std::int32_t index, bool json,
                 FeatureList& out) {
  double value = 0.0;
  bool zero = false;
  if (at >= stop) return false;
  if (json && *at != '-' && static_cast<unsigned char>(*at - '0') >= 10) return false;
  if (!read_word(at, stop, value, zero)) return false;
  if (!zero) out.add(index, value);
  return true;
}

}  // namespace

std::size_t read_known_words(const char*& at, std::span<const char* const> ends, std::int32_t space,
                             FeatureTable& table, FeatureList& out) {
  const FeatureTable::Run run = table.run(space);
  const std::size_t words_most = std::min(std::min(run.count, ends.size()), kMostWords);
  if (words_most == 0) return 0;
  const FeatureList::Room room = out.more(words_most + kSpare);
  std::size_t count = kernels().read_words(at, ends.data(), run.text, words_most, room.value);
  if (count > 0) {
    for (std::size_t i = 0; i < count; i += 4) {  // up to three too many: both have room
      std::memcpy(room.index + i, run.number + i, 4 * sizeof *room.index);
    }
    out.took(count);
  } else {  // a number in another form, or another word
    const bool json = table.style() == FeatureTable::Style::kJson;
    if (!stands(*run.text, at) ||
        !read_single(at + run.text->size, ends[0], *run.number, json, out)) {
      return 0;
    }
    count = 1;
  }
  at = ends[count - 1];
  table.accept_many(count);
  return count;
}

}  // namespace rein
