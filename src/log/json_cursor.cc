#include "log/json_cursor.h"

#include <array>
#include <charconv>
#include <cstring>

namespace rein {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// Bytes that stand for themselves in a text.
constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> out{};
  for (std::size_t i = 0x20; i < out.size(); ++i) out[i] = i != '"' && i != '\\';
  return out;
}
constexpr auto kPlain = plain_bytes();
bool is_plain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

// The blocks of 64 bytes at the start of the text that are ASCII if all of them are; else none.
std::size_t ascii_blocks(std::string_view text) {
  std::uint64_t block[8], any[8] = {};
  std::size_t i = 0;
  for (; i + sizeof block <= text.size(); i += sizeof block) {
    std::memcpy(block, text.data() + i, sizeof block);
    for (std::size_t j = 0; j < 8; ++j) any[j] |= block[j];
  }
  std::uint64_t all = 0;
  for (const std::uint64_t each : any) all |= each;
  return (all & 0x8080808080808080U) == 0 ? i : 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  std::size_t i = ascii_blocks(text);
  while (i < text.size()) {
    std::uint64_t eight = 0;
    if (i + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + i, sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        i += sizeof eight;
        continue;
      }
    }
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t following = lead < 0x80                   ? 0
                                  : lead >= 0xC2 && lead < 0xE0 ? 1
                                  : lead >= 0xE0 && lead < 0xF0 ? 2
                                  : lead >= 0xF0 && lead < 0xF5 ? 3
                                                                : 4;
    if (following == 4 || i + following >= text.size() + (following == 0 ? 1 : 0)) return false;
    std::uint32_t code = following == 0 ? lead : lead & (0x3FU >> following);
    for (std::size_t j = 1; j <= following; ++j) {
      const auto next = static_cast<unsigned char>(text[i + j]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3FU);
    }
    if ((following == 2 && (code < 0x800 || (code >= 0xD800 && code < 0xE000))) ||
        (following == 3 && (code < 0x10000 || code > 0x10FFFF))) {
      return false;
    }
    i += following + 1;
  }
  return true;
}

char JsonCursor::peek_after_blanks() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  return at_ < end_ ? *at_ : '\0';
}

bool JsonCursor::text(std::string_view& out, std::string& room) {
  if (!take('"')) return fail();
  const char* const start = at_;
  while (at_ < end_ && is_plain(*at_)) ++at_;
  if (at_ < end_ && *at_ == '"') {
    out = {start, static_cast<std::size_t>(at_ - start)};
    ++at_;
    return true;
  }
  room.assign(start, at_);
  while (at_ < end_ && *at_ != '"') {
    if (static_cast<unsigned char>(*at_) < 0x20) return fail();
    if (*at_ == '\\') {
      if (!escape(room)) return fail();
    } else {
      room += *at_++;
    }
  }
  if (at_ >= end_) return fail();
  ++at_;
  out = room;
  return true;
}

bool JsonCursor::hex(std::uint32_t& out) {
  if (end_ - at_ < 4) return false;
  const auto [stop, code] = std::from_chars(at_, at_ + 4, out, 16);
  if (code != std::errc() || stop != at_ + 4) return false;
  at_ += 4;
  return true;
}

// At a backslash.
bool JsonCursor::escape(std::string& room) {
  if (end_ - at_ < 2) return false;
  const char c = at_[1];
  at_ += 2;
  constexpr std::string_view kNames = "\"\\/bfnrt", kBytes = "\"\\/\b\f\n\r\t";
  if (const std::size_t found = kNames.find(c); found != std::string_view::npos) {
    room += kBytes[found];
    return true;
  }
  std::uint32_t code = 0, low = 0;
  if (c != 'u' || !hex(code)) return false;
  if (code >= 0xDC00 && code < 0xE000) return false;
  if (code >= 0xD800 && code < 0xDC00) {  // the first half of a pair
    if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
    at_ += 2;
    if (!hex(low) || low < 0xDC00 || low >= 0xE000) return false;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(room, code);
  return true;
}

bool JsonCursor::whole(std::int64_t& out) {
  peek();
  // Most have few digits.
  const char* at = at_;
  std::int64_t value = 0;
  while (at < end_ && static_cast<unsigned char>(*at - '0') < 10 && at - at_ < 18) {
    value = 10 * value + (*at++ - '0');
  }
  if (at > at_ && at < end_ && (*at == ',' || *at == ']' || *at == '}')) {
    out = value;
    at_ = at;
    return true;
  }
  const auto [stop, code] = std::from_chars(at_, end_, out);
  if (code != std::errc() || (stop < end_ && (*stop == '.' || *stop == 'e' || *stop == 'E'))) {
    return fail();
  }
  at_ = stop;
  return true;
}

bool JsonCursor::wholes(std::vector<std::int64_t>& out) {
  const auto digit = [](char c) { return static_cast<unsigned char>(c - '0') < 10; };
  if (!take('[')) return false;
  for (bool first = true; more(']', first);) {
    // most numbers are like `7,` or `12,`, and the next number follows at once
    while (digit(*at_)) {
      const bool two = digit(at_[1]);
      const char* const after = at_ + (two ? 2 : 1);
      if (after[0] != ',' || !digit(after[1])) break;
      out.push_back(two ? 10 * (at_[0] - '0') + (at_[1] - '0') : at_[0] - '0');
      at_ = after + 1;
    }
    if (!whole(out.emplace_back())) return false;
  }
  return !failed_;
}

bool JsonCursor::word(std::string_view expected) {
  peek();
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(expected))
    return fail();
  at_ += expected.size();
  return true;
}

bool JsonCursor::boolean(bool& out) {
  out = peek() == 't';
  return word(out ? "true" : "false");
}

bool JsonCursor::skip(int depth) {
  const char c = peek();
  std::string room;
  std::string_view ignored;
  double number_ignored = 0.0;
  bool truth = false, first = true;
  if (c == '"') return text(ignored, room);
  if (c == 't' || c == 'f') return boolean(truth);
  if (c == 'n') return null();
  if (c != '{' && c != '[') return number(number_ignored);
  if (depth >= kDeepest) return fail();
  ++at_;
  while (more(c == '{' ? '}' : ']', first)) {
    if (c == '{' && !key(ignored, room)) return false;
    if (!skip(depth + 1)) return false;
  }
  return !failed_;
}

}  // namespace rein
