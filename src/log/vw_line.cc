#include "log/vw_line.h"

#include <fmt/format.h>

#include <algorithm>

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
  const char* begin = text.data();
  const char* end = begin + text.size();
  return begin != end && read_number(begin, end, out) == end;
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
      head.tag = word.substr(word[0] == '\'' ? 1 : 0);
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
  unnamed_ = 0;
  scale = 1.0;
  while (at < end && !ends_name(*at)) ++at;
  const std::string_view name(start, static_cast<std::size_t>(at - start));
  space = table_.space(name);
  if (space < 0) {
    return Error{fmt::format("found more than {} namespaces; accepted: fewer", kMaxLogSpaces)};
  }
  const auto text = FeatureTable::expect('|' + std::string(name) + ' ');
  if (text.size > 0) recent_[next_recent_++ % recent_.size()] = {text, space};
  if (at < end && *at == ':') {
    const char* const stop = read_number(at + 1, end, scale);
    if (stop == nullptr || (stop < end && !is_space(*stop) && *stop != '|')) {
      return Error{fmt::format("namespace {}: found a scale that is no number", quoted(name))};
    }
    at = stop;
  }
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

// The word from `at` to `end`, if it is the feature that the row before had here: its name is
// compared, and no table is asked. Returns false if the word is another feature.
inline bool VwFeatures::read_expected(const char* at, const char* end, std::int32_t space,
                                      double scale, FeatureList& out) {
  std::int32_t number = -1;
  const std::size_t length = table_.expected(space, at, number);
  if (length == 0) return false;
  at += length;
  double value = 1.0;
  bool zero = false;
  if (at < end) [[likely]] {
    if (*at != ':' || !read_word(at + 1, end, value, zero)) return false;
  } else if (at > end) {
    return false;
  }
  table_.accept();
  if (!zero && scale != 0.0) out.add(number, scale == 1.0 ? value : value * scale);
  return true;
}

// The namespace whose `|name ` stands at `at`, if it was there lately; else null.
inline const FeatureTable::Start* VwFeatures::recent_space(const char* at) const {
  for (const FeatureTable::Start& each : recent_) {
    if (each.stands(at)) return &each;
  }
  return nullptr;
}

Result<> VwFeatures::read(const char* at, Ends ends, FeatureList& out) {
  const char* const end = ends.back();
  while (ends.front() < at) ends = ends.subspan(1);  // what stands before the bar
  std::int32_t space = -1;
  // Most lines have one namespace, which a recent line had too, and only known features.
  if (const FeatureTable::Start* recent = recent_space(at); recent && ends.size() > 2) {
    space = recent->space;
    unnamed_ = 0;
    at += recent->text.size;
    ends = ends.subspan(2);
    if (out.size() < kMaxLogFeatures) {
      const std::size_t known = read_known_words(at, ends, space, table_, out);
      if (known > 0 && at == end) return {};
      ends = ends.subspan(known);
      if (known > 0) ++at;
    }
  }
  return read_rest(at, ends, space, out);
}

// `at` is the start of the word whose end is the first of `ends`.
Result<> VwFeatures::read_rest(const char* at, Ends ends, std::int32_t space, FeatureList& out) {
  const char* const end = ends.back();
  double scale = 1.0;
  bool after_bar = space >= 0 && at[-1] == '|';
  while (!ends.empty()) {
    const char* stop = ends.front();
    std::size_t words = 1;
    if (after_bar) {
      if (const FeatureTable::Start* recent = recent_space(at - 1)) {
        space = recent->space;
        scale = 1.0;
        unnamed_ = 0;
      } else if (auto read = read_space(at, stop, space, scale); !read) {
        return read;
      }
    } else if (at < stop) {
      const bool plain = scale == 1.0 && out.size() < kMaxLogFeatures;
      const std::size_t known = plain ? read_known_words(at, ends, space, table_, out) : 0;
      if (known > 0) {
        words = known;
        stop = at;
      } else if (!read_expected(at, stop, space, scale, out)) {
        if (out.size() > kMaxLogFeatures) {
          return Error{
              fmt::format("found more than {} features; accepted: fewer", kMaxLogFeatures)};
        }
        if (auto read = read_feature(at, stop, space, scale, out); !read) return read;
      }
    }
    after_bar = stop < end && *stop == '|';
    at = stop + 1;
    ends = ends.subspan(words);
  }
  return {};
}

}  // namespace rein
