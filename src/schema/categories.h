// Categories: texts with places 0, 1, ... in the order in which they were added, up to a limit.
// All memory is taken when it is made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rein/bytes.h"

namespace rein {

class Categories {
 public:
  Categories() = default;
  explicit Categories(int categories_most);
  Categories(const Categories& other);
  Categories(Categories&&) noexcept = default;
  Categories& operator=(const Categories& other);
  Categories& operator=(Categories&&) noexcept = default;
  ~Categories() = default;

  int count() const { return static_cast<int>(ends_.size()); }
  int most() const { return most_; }
  std::string_view text(int place) const;
  // The place of a text with this hash, or -1.
  int find(std::string_view text, std::uint64_t hash) const;
  // Whether a text that is not here may be added.
  bool has_room(std::string_view text) const;
  // REQUIRES has_room(text) and find(text, hash) < 0.
  void add(std::string_view text, std::uint64_t hash);

  void save(ByteWriter& out) const;
  // Replaces what is here.
  Result<> load(ByteReader& in);

 private:
  void reserve();
  void clear();

  int most_ = 0;
  std::string pool_;                 // the texts, one after the other
  std::vector<std::uint32_t> ends_;  // the end of each text in the pool
  std::vector<std::uint64_t> hashes_;
  std::vector<std::int32_t> table_;  // open addressing: places, or -1
};

}  // namespace rein
