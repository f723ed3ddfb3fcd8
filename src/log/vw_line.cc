#include "log/vw_line.h"

#include <fmt/format.h>

#include "base/text_number.h"
#include "log/fast_number.h"
#include "log/notes.h"

namespace rein {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool ends_name(char c) { return is_space(c) || c == ':' || c == '|'; }

// Cuts the next word off; empty if there is none.
std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t length = 0;
  while (length < text.size() && !is_space(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

bool whole_number(std::string_view text, double& out) {
  const char* end = text.data() + text.size();
  return !text.empty() && read_number(text.data(), end, out) == end;
}

Result<> read_label(std::string_view word, VwHead& head) {
  const auto wrong = [&] {
    return Error{fmt::format("found label {}; accepted: NUMBER:COST:PROBABILITY", quoted(word))};
  };
  const std::size_t first = word.find(':');
  const std::size_t second = first == std::string_view::npos ? first : word.find(':', first + 1);
  double ignored = 0.0;
  if (first == std::string_view::npos || !whole_number(word.substr(0, first), ignored))
    return wrong();
  head.action = word.substr(0, first);
  const bool three = second != std::string_view::npos;
  const std::string_view cost =
      three ? word.substr(first + 1, second - first - 1) : word.substr(first + 1);
  if (!whole_number(cost, head.cost)) return wrong();
  if (three && !whole_number(word.substr(second + 1), head.probability)) return wrong();
  head.labelled = true;
  head.has_probability = three;
  return {};
}

}  // namespace

Result<> read_vw_head(std::string_view line, VwHead& head) {
  head = VwHead();
  const std::size_t bar = line.find('|');
  head.has_bar = bar != std::string_view::npos;
  head.bar = head.has_bar ? bar : line.size();
  std::string_view before = line.substr(0, head.bar);
  if (before.empty()) return {};
  // A tag stands right before the bar, or begins with an apostrophe.
  const bool touches = head.has_bar && !is_space(before.back());
  std::string_view word = next_word(before);
  bool first = true;
  while (!word.empty()) {
    const bool tag = word[0] == '\'' || (touches && trimmed(before).empty());
    if (first && word == "shared") {
      head.shared = true;
    } else if (tag) {
      // Only a name: nothing depends on it.
    } else if (head.labelled || head.shared) {
      return Error{
          fmt::format("found {} before the bar; accepted: one label, then a tag", quoted(word))};
    } else if (auto read = read_label(word, head); !read) {
      return read;
    }
    first = false;
    word = next_word(before);
  }
  if (!head.has_bar && !head.shared && !head.labelled) {
    return Error{fmt::format("found {}, which has no bar; accepted: [label] |namespace features",
                             quoted(line))};
  }
  return {};
}

Result<> VwFeatures::read_space(const char*& at, const char* end, std::int32_t& space,
                                double& scale) {
  const char* const start = at;
  while (at < end && !ends_name(*at)) ++at;
  const std::string_view name(start, static_cast<std::size_t>(at - start));
  space = -1;
  for (const auto& [known, number] : recent_) {
    if (number >= 0 && known == name) {
      space = number;
      break;
    }
  }
  if (space < 0) {
    space = table_.space(name);
    if (space < 0) {
      return Error{fmt::format("found more than {} namespaces; accepted: fewer", kMaxLogSpaces)};
    }
    recent_[next_recent_++ % recent_.size()] = {std::string(name), space};
  }
  scale = 1.0;
  if (at < end && *at == ':') {
    const char* const stop = read_number(at + 1, end, scale);
    if (stop == nullptr || (stop < end && !is_space(*stop) && *stop != '|')) {
      return Error{fmt::format("namespace {}: found a scale that is no number", quoted(name))};
    }
    at = stop;
  }
  unnamed_ = 0;
  return {};
}

Result<> VwFeatures::read_feature(const char*& at, const char* end, std::int32_t space,
                                  double scale, FeatureList& out) {
  const char* const start = at;
  while (at < end && !ends_name(*at)) ++at;
  std::string_view name(start, static_cast<std::size_t>(at - start));
  std::string position;
  double value = 1.0;
  std::int32_t number = -1;
  if (at < end && *at == ':') {
    const char* const text = ++at;
    while (at < end && !is_space(*at) && *at != '|') ++at;
    if (name.empty()) name = position = std::to_string(unnamed_++);
    const char* const stop = read_number(text, at, value);
    if (stop == nullptr || stop != at) {
      const std::string_view word(text, static_cast<std::size_t>(at - text));
      double odd = 0.0;
      if (word.empty() || (std::from_chars(text, at, odd).ptr == at)) {
        return Error{fmt::format("feature {}: found value {}; accepted: a finite number, or a text",
                                 quoted(name), quoted(word))};
      }
      number = table_.number(space, name, word);
      value = 1.0;
    }
  }
  value *= scale;
  if (number < 0) number = table_.number(space, name);
  if (number < 0) {
    return Error{
        fmt::format("found more than {} different features; accepted: fewer", kMaxLogNames)};
  }
  if (value != 0.0) out.add(number, value);
  return {};
}

// The feature that the row before had here: its name is compared, and no table is asked. Returns its
// end, or nullptr if it is another one.
inline const char* VwFeatures::read_expected(const char* at, const char* end, std::int32_t space,
                                             double scale, FeatureList& out) {
  std::int32_t number = -1;
  const std::size_t length = table_.expected(space, at, number);
  if (length == 0) return nullptr;
  at += length;
  double value = 1.0;
  bool zero = false;
  if (*at == ':' && at < end) {
    at = read_padded(at + 1, end, value, zero);
    if (at == nullptr) return nullptr;
  }
  if (at > end || (at < end && !is_space(*at) && *at != '|')) return nullptr;
  table_.accept();
  if (!zero && scale != 0.0) out.add(number, scale == 1.0 ? value : value * scale);
  return at;
}

Result<> VwFeatures::read(const char* at, const char* end, FeatureList& out) {
  std::int32_t space = -1;
  double scale = 1.0;
  while (at < end) {
    if (is_space(*at)) {
      ++at;
      continue;
    }
    if (*at == '|') {
      ++at;
      if (auto read = read_space(at, end, space, scale); !read) return read;
      continue;
    }
    if (const char* stop = read_expected(at, end, space, scale, out); stop != nullptr) [[likely]] {
      at = stop;
      continue;
    }
    if (out.size() > kMaxLogFeatures) {
      return Error{fmt::format("found more than {} features; accepted: fewer", kMaxLogFeatures)};
    }
    if (auto read = read_feature(at, end, space, scale, out); !read) return read;
  }
  return {};
}

}  // namespace rein
