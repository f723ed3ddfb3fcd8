// read_known_words: reads the features with numbers that the row before had at the same place.
//
// Most rows of a log have the same features in the same order. So each word is compared with the one
// that is expected, and no table is asked. Where words end is known beforehand (WordEnds), so words with
// short decimal numbers are read several at once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/kernels.h"
#include "log/fast_number.h"
#include "log/name_table.h"
#include "log/row_buffer.h"

namespace rein {

// Where the words of a text end: at the marks.
class WordEnds {
 public:
  // kLinePadding bytes after the text can be read.
  void find(std::string_view text, const Marks& marks) {
    static_assert(kLinePadding >= 64);
    constexpr std::size_t kSpare = 8;
    if (places_.size() < text.size() + kSpare) places_.resize(text.size() + kSpare);
    count_ = kernels().find_marks(text.data(), text.size(), marks, places_.data());
  }
  // One more end.
  void add(const char* place) { places_[count_++] = place; }
  std::size_t count() const { return count_; }
  const char* at(std::size_t i) const { return places_[i]; }
  const char* const* from(std::size_t i) const { return places_.data() + i; }

 private:
  std::vector<const char*> places_;
  std::size_t count_ = 0;
};

// Reads expected words from `at` on, whose ends are number `from` and those after it. Returns how many
// it read, 0 if the first is not expected; `at` is then where the last one of them ends. They are added
// to `out`, except for zeros.
std::size_t read_known_words(const char*& at, const WordEnds& ends, std::size_t from,
                             std::int32_t space, FeatureTable& table, FeatureList& out);

}  // namespace rein
