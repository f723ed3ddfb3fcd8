// NameTable: names to numbers, in the order in which they appear. FeatureTable: the same for the
// names of sparse features.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/size.h"
#include "rein/log.h"

namespace rein {

struct TextHash {
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
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> numbers_;
};

// Most rows of a log have the same features in the same order. So the n-th feature of a row is first
// compared with the n-th feature of the row before, and a hash table is asked only if they differ.
class FeatureTable {
 public:
  explicit FeatureTable(std::vector<FeatureName>& names) : names_(names) {}

  // Before a row.
  void restart() { next_ = 0; }
  // The number of `space^name`, or of `space^name=value`. -1 if there are too many.
  std::int32_t number(std::string_view space, std::string_view name) {
    return guess({space, name, {}, false});
  }
  std::int32_t number(std::string_view space, std::string_view name, std::string_view value) {
    return guess({space, name, value, true});
  }

 private:
  struct Key {
    std::string_view space, name, value;
    bool category;
  };
  static bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
  }
  bool is(std::int32_t number, const Key& key) const {
    const FeatureName& known = names_[as_size(number)];
    return same(known.name, key.name) && known.category == key.category &&
           same(known.space, key.space) && (!key.category || same(known.value, key.value));
  }
  std::int32_t guess(const Key& key) {
    const std::size_t place = next_++;
    if (place < guesses_.size()) {
      if (is(guesses_[place], key)) [[likely]]
        return guesses_[place];
      const std::int32_t found = lookup(key);
      if (found >= 0) guesses_[place] = found;
      return found;
    }
    const std::int32_t found = lookup(key);
    if (found >= 0 && place == guesses_.size()) guesses_.push_back(found);
    return found;
  }
  std::int32_t lookup(const Key& key);

  std::vector<FeatureName>& names_;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> numbers_;
  std::vector<std::int32_t> guesses_;
  std::size_t next_ = 0;
  std::string text_;  // room for a key
};

}  // namespace rein
