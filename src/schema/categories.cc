#include "schema/categories.h"

#include <bit>

#include "base/check.h"
#include "rein/schema.h"
#include "schema/text_hash.h"

namespace rein {

Categories::Categories(int categories_most)
    : most_(categories_most),
      table_(std::bit_ceil(static_cast<std::size_t>(categories_most) * 2), -1) {
  reserve();
}

Categories::Categories(const Categories& other) { *this = other; }

// Copies of strings and vectors have no spare room.
Categories& Categories::operator=(const Categories& other) {
  if (this == &other) return *this;
  most_ = other.most_;
  pool_ = other.pool_;
  ends_ = other.ends_;
  hashes_ = other.hashes_;
  table_ = other.table_;
  reserve();
  return *this;
}

void Categories::reserve() {
  const auto categories_most = static_cast<std::size_t>(most_);
  pool_.reserve(categories_most * static_cast<std::size_t>(kMaxCategoryBytes));
  ends_.reserve(categories_most);
  hashes_.reserve(categories_most);
}

void Categories::clear() {
  pool_.clear();
  ends_.clear();
  hashes_.clear();
  table_.assign(table_.size(), -1);
}

std::string_view Categories::text(int place) const {
  const auto i = static_cast<std::size_t>(place);
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(pool_).substr(begin, ends_[i] - begin);
}

int Categories::find(std::string_view text_of, std::uint64_t hash) const {
  if (table_.empty()) return -1;
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash & mask; table_[at] >= 0; at = (at + 1) & mask) {
    const std::int32_t place = table_[at];
    if (hashes_[static_cast<std::size_t>(place)] == hash && text(place) == text_of) return place;
  }
  return -1;
}

bool Categories::has_room(std::string_view text) const {
  return count() < most_ && !text.empty() &&
         text.size() <= static_cast<std::size_t>(kMaxCategoryBytes);
}

void Categories::add(std::string_view text, std::uint64_t hash) {
  check(has_room(text), "there is room for a category");
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  while (table_[at] >= 0) at = (at + 1) & mask;
  table_[at] = count();
  pool_.append(text);
  ends_.push_back(static_cast<std::uint32_t>(pool_.size()));
  hashes_.push_back(hash);
}

void Categories::save(ByteWriter& out) const {
  out.i64(count());
  for (int place = 0; place < count(); ++place) out.text(text(place));
}

Result<> Categories::load(ByteReader& in) {
  clear();
  const std::int64_t saved = in.between("categories", 0, most_);
  for (std::int64_t i = 0; i < saved && in.ok(); ++i) {
    const std::string text = in.text();
    const std::uint64_t hash = text_hash(text);
    if (!has_room(text) || find(text, hash) >= 0) {
      in.fail("saved state has a category that is empty, too long or repeated");
    } else {
      add(text, hash);
    }
  }
  return in.status();
}

}  // namespace rein
