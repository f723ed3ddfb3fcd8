#include "http/text.h"

#include <algorithm>
#include <cstdint>

namespace rein::serve {
namespace {

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool same_word(std::string_view text, std::string_view word) {
  return text.size() == word.size() && std::equal(text.begin(), text.end(), word.begin(),
                                                  [](char a, char b) { return lower(a) == b; });
}

bool same_letters(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

bool percent_decoded(std::string_view text, std::string& out) {
  if (text.find('%') == std::string_view::npos) {
    out.append(text);
    return true;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return false;
    const char c = static_cast<char>(high * 16 + low);
    if (is_control(c) || c == '/') return false;
    out.push_back(c);
    i += 2;
  }
  return is_utf8(out);
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    if (first < 0x80) continue;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4) return false;
    std::uint32_t code = first & (0x3fU >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i >= text.size()) return false;
      const auto next = static_cast<unsigned char>(text[i]);
      if ((next & 0xc0) != 0x80) return false;
      code = (code << 6) | (next & 0x3fU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < kLeast[more] || code > 0x10ffff || surrogate) return false;
  }
  return true;
}

BodyType body_type(std::string_view content_type) {
  const std::size_t semicolon = std::min(content_type.find(';'), content_type.size());
  const std::string_view type = trimmed(content_type.substr(0, semicolon));
  if (semicolon < content_type.size()) {
    const std::string_view parameter = trimmed(content_type.substr(semicolon + 1));
    const bool utf8 = parameter.empty() || same_word(parameter, "charset=utf-8") ||
                      same_word(parameter, "charset=\"utf-8\"");
    if (!utf8) return BodyType::kOther;
  }
  if (same_word(type, "application/json")) return BodyType::kJson;
  if (same_word(type, "application/x-ndjson")) return BodyType::kLines;
  return BodyType::kOther;
}

bool is_traceparent(std::string_view value) {
  constexpr std::string_view kForm = "00-00000000000000000000000000000000-0000000000000000-00";
  return value.size() == kForm.size() &&
         std::equal(value.begin(), value.end(), kForm.begin(), [](char c, char form) {
           return form == '-' ? c == '-' : is_digit(c) || (c >= 'a' && c <= 'f');
         });
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string out = "\"";
  for (const char c : text.substr(0, kMost)) out.push_back(c >= 0x20 && c < 0x7f ? c : '?');
  if (text.size() > kMost) out += "...";
  return out + "\"";
}

}  // namespace rein::serve
