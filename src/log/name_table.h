// NameTable: names to numbers, in the order in which they appear. FeatureTable: the same for the
// names of sparse features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/size.h"
#include "rein/log.h"

namespace rein {

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

class NameTable {
 public:
  // With the names that are already in `names`. Keeps a reference to it, and appends to it.
  explicit NameTable(std::vector<std::string>& names) : names_(names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      numbers_.emplace(names[i], static_cast<std::int32_t>(i));
    }
  }
  // -1 if it is not there.
  std::int32_t find(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? -1 : found->second;
  }
  // Adds it if it is not there; -1 if there are too many.
  std::int32_t number(std::string_view name) {
    if (const std::int32_t known = find(name); known >= 0) return known;
    if (names_.size() >= kMaxLogNames) return -1;
    const auto next = static_cast<std::int32_t>(names_.size());
    names_.emplace_back(name);
    numbers_.emplace(name, next);
    return next;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::int32_t, NameHash, std::equal_to<>> numbers_;
};

// Most rows of a log have the same features in the same order. So the n-th feature of a row is first
// compared with the n-th feature of the row before, and a hash table is asked only if they differ.
class FeatureTable {
 public:
  // How a file writes a feature with a number: `name:1` or `"name":1`.
  enum class Style { kText, kJson };
  explicit FeatureTable(std::vector<FeatureName>& names, Style style = Style::kText)
      : names_(names), style_(style) {}
  Style style() const { return style_; }

  // The number of a namespace, for number(). Ask it again for each namespace of a row.
  std::int32_t space(std::string_view name);
  // Before a row.
  void restart() { next_ = 0; }
  // The feature that is expected next: compares its name with the text at `at`, of which
  // kLinePadding bytes more can be read. Returns the length of the name, or 0 if it is another one.
  std::size_t expected(std::int32_t space, const char* at, std::int32_t& number) const {
    if (next_ >= guesses_.size()) return 0;
    number = guesses_[next_].number;
    const Known& known = known_[as_size(number)];
    std::uint64_t head = 0;
    std::memcpy(&head, at, sizeof head);
    if ((head & known.mask) != known.head || known.space != space || known.category) return 0;
    if (known.size > sizeof head && std::memcmp(at, known.text, known.size) != 0) return 0;
    return known.size;
  }
  // The expected feature was the next one.
  void accept() { ++next_; }

  // What stands before the number of an expected feature in the file: `name:` or `"name":`.
  struct Guess {
    // Its bytes, and which of them count. Without a name these are no bytes of UTF-8.
    std::uint64_t head[2] = {~std::uint64_t{0}, 0}, mask[2] = {~std::uint64_t{0}, 0};
    std::int32_t space = -1;
    std::uint32_t size = 0;  // in bytes; 0: it has more than 16, ask expected()
    std::int32_t number = -1;
    bool joins = false;  // it has the namespace of the guess before, and a larger number
    // Whether it is what stands at `at`, of which 16 bytes can be read.
    bool stands(const char* at) const {
      std::uint64_t text[2];
      std::memcpy(text, at, sizeof text);
      if (((text[0] ^ head[0]) & mask[0]) != 0) return false;
      return size <= sizeof text[0] || ((text[1] ^ head[1]) & mask[1]) == 0;
    }
  };
  // The same for many features in a row, from the next one on. accept_many() says how many of them
  // came.
  std::span<const Guess> guesses() const {
    return std::span<const Guess>(guesses_).subspan(std::min(next_, guesses_.size()));
  }
  void accept_many(std::size_t count) { next_ += count; }
  // What stands before a number in this style; and any text of this namespace.
  Guess guess_of(std::int32_t space, std::string_view name) const;
  static Guess guess_text(std::int32_t space, std::string_view text);

  // The number of `space^name`, or of `space^name=value`. -1 if there are too many.
  std::int32_t number(std::int32_t space, std::string_view name) {
    return learn(lookup({space, name, {}, false}));
  }
  std::int32_t number(std::int32_t space, std::string_view name, std::string_view value) {
    return learn(lookup({space, name, value, true}));
  }

 private:
  struct Key {
    std::int32_t space;
    std::string_view name, value;
    bool category;
  };
  // What expected() compares: the first eight bytes of the name, in one word.
  struct Known {
    std::uint64_t head, mask;
    const char* text;  // the whole name
    std::uint32_t size;
    std::int32_t space;
    bool category;
    Guess guess;
  };
  std::int32_t learn(std::int32_t found) {
    const std::size_t place = next_++;
    if (found < 0 || place > guesses_.size()) return found;
    if (next_ < guesses_.size() && guesses_[next_].number == found) {  // one was left out
      ++next_;
      return found;
    }
    if (place == guesses_.size()) guesses_.emplace_back();
    guesses_[place] = known_[as_size(found)].guess;
    for (std::size_t i = std::max<std::size_t>(place, 1); i <= next_ && i < guesses_.size(); ++i) {
      guesses_[i].joins =
          guesses_[i].number > guesses_[i - 1].number && guesses_[i].space == guesses_[i - 1].space;
    }
    return found;
  }
  std::int32_t lookup(const Key& key);

  std::vector<FeatureName>& names_;
  Style style_;
  std::vector<std::string> spaces_;
  std::vector<Known> known_;
  std::unordered_map<std::string, std::int32_t, NameHash, std::equal_to<>> numbers_;
  std::vector<Guess> guesses_;  // by place in the row
  std::size_t next_ = 0;
  std::string text_;  // room for a key
};

}  // namespace rein
