#include "log/name_table.h"

namespace rein {

std::int32_t FeatureTable::lookup(const Key& key) {
  // Lengths first, so that no two keys have the same text.
  const std::uint32_t sizes[] = {static_cast<std::uint32_t>(key.space.size()),
                                 static_cast<std::uint32_t>(key.name.size()),
                                 key.category ? 1U : 0U};
  text_.assign(reinterpret_cast<const char*>(sizes), sizeof sizes);
  text_.append(key.space).append(key.name).append(key.value);
  if (const auto found = numbers_.find(std::string_view(text_)); found != numbers_.end()) {
    return found->second;
  }
  if (names_.size() >= kMaxLogNames) return -1;
  const auto next = static_cast<std::int32_t>(names_.size());
  names_.push_back(
      {std::string(key.space), std::string(key.name), std::string(key.value), key.category});
  numbers_.emplace(text_, next);
  return next;
}

}  // namespace rein
