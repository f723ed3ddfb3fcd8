// NameTable: names to numbers, in the order in which they appear. FeatureTable: the same for the
// names of sparse features.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/kernels.h"
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
  // Starts with the names that are already in `names`. Keeps a reference to `names`, and appends to
  // it.
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
  void restart() {
    next_ = 0;
    if (changed_) count_runs();
  }
  // The feature that is expected next: compares its name with the text at `at`, of which
  // kLinePadding bytes more can be read. Returns the length of the name, or 0 if the text has
  // another name.
  std::size_t expected(std::int32_t space, const char* at, std::int32_t& number) const {
    if (next_ >= runs_.size()) return 0;
    number = expected_[next_];
    const Known& known = known_[as_size(number)];
    std::uint64_t head = 0;
    std::memcpy(&head, at, sizeof head);
    if ((head & known.mask) != known.head || known.space != space || known.category) return 0;
    if (known.size > sizeof head && std::memcmp(at, known.text, known.size) != 0) return 0;
    return known.size;
  }
  // The expected feature was the next one.
  void accept() { ++next_; }

  // The same for many features in a row, from the next one on: those of this namespace whose numbers
  // ascend. accept_many() says how many of them came.
  struct Run {
    const ExpectedText* text = nullptr;    // ` name:` or `,"name":`
    const std::int32_t* number = nullptr;  // three more can be read
    std::size_t count = 0;
  };
  Run run(std::int32_t space) const {
    if (next_ >= runs_.size() || spaces_of_[next_] != space) return {};
    return {&texts_[next_], &expected_[next_], runs_[next_]};
  }
  void accept_many(std::size_t count) { next_ += count; }

  // How a namespace begins, for readers that met it lately.
  struct Start {
    ExpectedText text;  // without the byte before it
    std::int32_t space = -1;
    // Whether it is what stands at `at`, of which 16 bytes can be read.
    bool stands(const char* at) const {
      std::uint64_t found[2];
      std::memcpy(found, at, sizeof found);
      return (((found[0] ^ text.head[0]) & text.mask[0]) |
              ((found[1] ^ text.head[1]) & text.mask[1])) == 0;
    }
  };
  // `text` has at most 16 bytes, or nothing stands for it.
  static ExpectedText expect(std::string_view text);
  // Whether a name stands in JSON as it is.
  static bool is_plain(std::string_view name);

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
  // The first eight bytes of a name as a number, which expected() compares.
  struct Known {
    std::uint64_t head, mask;
    const char* text;  // the whole name
    std::uint32_t size;
    std::int32_t space;
    bool category;
    ExpectedText before;  // what stands before a number
  };
  std::int32_t learn(std::int32_t found) {
    const std::size_t place = next_++;
    if (found < 0 || place > runs_.size()) return found;
    if (next_ < runs_.size() && expected_[next_] == found) {  // a feature was left out
      ++next_;
      return found;
    }
    expect_at(place, found);
    return found;
  }
  void expect_at(std::size_t place, std::int32_t number);
  void count_runs();
  ExpectedText before_number(std::string_view name) const;
  std::int32_t lookup(const Key& key);

  std::vector<FeatureName>& names_;
  Style style_;
  std::vector<std::string> spaces_;
  std::vector<Known> known_;
  std::unordered_map<std::string, std::int32_t, NameHash, std::equal_to<>> numbers_;
  // By place in the row: the feature, its text and namespace, and the length of the run of features
  // that begins there.
  std::vector<std::int32_t> expected_, spaces_of_;
  std::vector<ExpectedText> texts_;
  std::vector<std::size_t> runs_;
  std::size_t next_ = 0;
  bool changed_ = false;  // since the runs were counted
  std::string text_;      // room for a key
};

}  // namespace rein
