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
  explicit FeatureTable(std::vector<FeatureName>& names) : names_(names) {}

  // The number of a namespace, for number(). Ask it again for each namespace of a row.
  std::int32_t space(std::string_view name);
  // Before a row.
  void restart() { next_ = 0; }
  // The feature that is expected next: compares its name with the text at `at`, of which
  // kLinePadding bytes more can be read. Returns the length of the name, or 0 if it is another one.
  std::size_t expected(std::int32_t space, const char* at, std::int32_t& number) const {
    if (next_ >= guesses_.size()) return 0;
    number = guesses_[next_];
    const Known& known = known_[as_size(number)];
    std::uint64_t head = 0;
    std::memcpy(&head, at, sizeof head);
    if ((head & known.mask) != known.head || known.space != space || known.category) return 0;
    if (known.size > sizeof head && std::memcmp(at, known.text, known.size) != 0) return 0;
    return known.size;
  }
  // The expected feature was the next one.
  void accept() { ++next_; }

  // The same for many features in a row: what is expected from the next one on, for names of up to
  // eight bytes; accept_many() says how many of them came.
  struct Guess {
    std::uint64_t head, mask;  // of the name, in one word
    std::int32_t number, space;
    std::uint32_t size;  // 0: ask expected()
  };
  std::span<const Guess> guesses() const {
    return std::span<const Guess>(short_).subspan(std::min(next_, short_.size()));
  }
  void accept_many(std::size_t count) { next_ += count; }

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
  };
  std::int32_t learn(std::int32_t found) {
    const std::size_t place = next_++;
    if (found < 0) return found;
    if (place > guesses_.size()) return found;
    if (place == guesses_.size()) {
      guesses_.push_back(found);
      short_.emplace_back();
    }
    guesses_[place] = found;
    const Known& known = known_[as_size(found)];
    const bool brief = known.size <= sizeof known.head && !known.category;
    short_[place] = {known.head, known.mask, found, known.space, brief ? known.size : 0};
    return found;
  }
  std::int32_t lookup(const Key& key);

  std::vector<FeatureName>& names_;
  std::vector<std::string> spaces_;
  std::vector<Known> known_;
  std::unordered_map<std::string, std::int32_t, NameHash, std::equal_to<>> numbers_;
  std::vector<std::int32_t> guesses_;
  std::vector<Guess> short_;  // the same, with what guesses() shows
  std::size_t next_ = 0;
  std::string text_;  // room for a key
};

}  // namespace rein
