#include "log/name_table.h"

#include <algorithm>

namespace rein {
namespace {

// JSON writes some bytes of a name differently. Such a name is never the expected one.
bool is_plain(std::string_view name) {
  return std::ranges::none_of(
      name, [](char c) { return c == '\\' || c == '"' || static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace

std::int32_t FeatureTable::space(std::string_view name) {
  // A log has few namespaces.
  const auto found = std::ranges::find(spaces_, name);
  if (found != spaces_.end()) return static_cast<std::int32_t>(found - spaces_.begin());
  if (spaces_.size() >= kMaxLogSpaces) return -1;
  spaces_.emplace_back(name);
  return static_cast<std::int32_t>(spaces_.size() - 1);
}

std::int32_t FeatureTable::lookup(const Key& key) {
  if (key.space < 0) return -1;
  // Numbers of one size first, so that no two keys have the same text.
  const std::uint32_t head[] = {static_cast<std::uint32_t>(key.space),
                                static_cast<std::uint32_t>(key.name.size()),
                                key.category ? 1U : 0U};
  text_.assign(reinterpret_cast<const char*>(head), sizeof head);
  text_.append(key.name).append(key.value);
  if (const auto found = numbers_.find(std::string_view(text_)); found != numbers_.end()) {
    return found->second;
  }
  if (names_.size() >= kMaxLogNames) return -1;
  const auto next = static_cast<std::int32_t>(names_.size());
  names_.push_back(
      {spaces_[as_size(key.space)], std::string(key.name), std::string(key.value), key.category});
  const auto& kept = numbers_.emplace(text_, next).first->first;
  Known known{.head = 0,
              .mask = 0,
              .text = kept.data() + sizeof head,
              .size = is_plain(key.name) ? static_cast<std::uint32_t>(key.name.size()) : 0,
              .space = key.space,
              .category = key.category,
              .guess = key.category ? Guess{} : guess_of(key.space, key.name)};
  const std::size_t bytes = std::min(key.name.size(), sizeof known.head);
  std::memcpy(&known.head, key.name.data(), bytes);
  std::memset(&known.mask, 0xff, bytes);
  known.guess.number = next;
  known_.push_back(known);
  return next;
}

FeatureTable::Guess FeatureTable::guess_of(std::int32_t space, std::string_view name) const {
  if (name.empty() || !is_plain(name)) return {.space = space};
  const std::string own(name);
  return guess_text(space, style_ == Style::kJson ? '"' + own + "\":" : own + ':');
}

FeatureTable::Guess FeatureTable::guess_text(std::int32_t space, std::string_view text) {
  Guess guess{.space = space};
  if (text.size() > sizeof guess.head) return guess;
  guess.mask[0] = 0;
  std::memcpy(guess.head, text.data(), text.size());
  std::memset(guess.mask, 0xff, text.size());
  guess.size = static_cast<std::uint32_t>(text.size());
  return guess;
}

}  // namespace rein
