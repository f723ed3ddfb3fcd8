#include "log/name_table.h"

#include <algorithm>

namespace rein {
namespace {

constexpr std::size_t kSpareNumbers = 3;  // after a run

}  // namespace

// JSON writes some bytes of a name differently. A name with such bytes is never the expected one.
bool FeatureTable::is_plain(std::string_view name) {
  return std::ranges::none_of(
      name, [](char c) { return c == '\\' || c == '"' || static_cast<unsigned char>(c) < 0x20; });
}

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
  // The head has numbers of a fixed size, so that no two keys have the same text.
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
              .before = key.category ? ExpectedText{} : before_number(key.name)};
  const std::size_t bytes = std::min(key.name.size(), sizeof known.head);
  std::memcpy(&known.head, key.name.data(), bytes);
  std::memset(&known.mask, 0xff, bytes);
  known_.push_back(known);
  return next;
}

void FeatureTable::expect_at(std::size_t place, std::int32_t number) {
  const Known& known = known_[as_size(number)];
  if (place == runs_.size()) {
    expected_.resize(place + 1 + kSpareNumbers);
    spaces_of_.emplace_back();
    texts_.emplace_back();
    runs_.emplace_back();
  }
  expected_[place] = number;
  spaces_of_[place] = known.space;
  texts_[place] = known.before;
  runs_[place] = 1;  // until all are counted again
  changed_ = true;
}

void FeatureTable::count_runs() {
  changed_ = false;
  for (std::size_t i = runs_.size(); i-- > 0;) {
    const bool joined = i + 1 < runs_.size() && expected_[i + 1] > expected_[i] &&
                        spaces_of_[i + 1] == spaces_of_[i];
    runs_[i] = joined ? runs_[i + 1] + 1 : 1;
  }
}

ExpectedText FeatureTable::before_number(std::string_view name) const {
  if (name.empty() || !is_plain(name)) return {};
  const std::string own(name);
  ExpectedText out = expect(style_ == Style::kJson ? ",\"" + own + "\":" : ' ' + own + ':');
  if (out.size > 0) --out.size;
  return out;
}

ExpectedText FeatureTable::expect(std::string_view text) {
  ExpectedText out;
  if (text.size() > sizeof out.head) return out;
  out.mask[0] = 0;
  out.head[0] = 0;
  std::memcpy(out.head, text.data(), text.size());
  std::memset(out.mask, 0xff, text.size());
  out.size = text.size();
  return out;
}

}  // namespace rein
