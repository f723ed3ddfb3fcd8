// JsonCursor: reads JSON from left to right, one token at a time, without a tree.
//
// The text is one line, and kLinePadding bytes after it can be read. Every call returns false at the
// first error, after which the cursor stays where it is. Numbers are read as doubles, exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "log/fast_number.h"

namespace rein {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  // The first byte of the next token; 0 at the end.
  [[gnu::always_inline]] char peek() {
    if (at_ == end_ || *at_ == ' ' || *at_ == '\t' || *at_ == '\r') return peek_after_blanks();
    return *at_;
  }
  // The byte `c`, if it is the next token.
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  // Between the entries of a list or object that ends in `close`. True if another entry follows. The
  // first time, `first` is true. False at the end or if it is damaged; then done() is false.
  bool more(char close, bool& first) {
    const char c = peek();
    if (c == close) {
      ++at_;
      return false;
    }
    if (!first) {
      if (c != ',') return fail();
      ++at_;
      if (peek() == close) return fail();
    }
    first = false;
    return !failed_;
  }
  // Reads a text. `out` refers to the line, or to `room` if the text has escapes.
  bool text(std::string_view& out, std::string& room);
  // A key and its colon.
  bool key(std::string_view& out, std::string& room) { return text(out, room) && colon(); }
  bool number(double& out) {
    bool zero = false;
    return number(out, zero);
  }
  bool number(double& out, bool& zero) {
    const char c = peek();
    if (c != '-' && static_cast<unsigned char>(c - '0') >= 10) return fail();
    const char* const stop = read_padded(at_, end_, out, zero);
    if (stop == nullptr || stop > end_) return fail();
    at_ = stop;
    return true;
  }
  bool whole(std::int64_t& out);
  // A list of whole numbers, which are added to `out`.
  bool wholes(std::vector<std::int64_t>& out);
  bool boolean(bool& out);
  bool null() { return word("null"); }
  // Any value, at most kDeepest levels deep.
  bool skip() { return skip(0); }
  bool colon() { return take(':') || fail(); }
  // Nothing is left.
  bool done() { return !failed_ && peek() == '\0' && at_ == end_; }
  bool ok() const { return !failed_; }

  // For parsers that look at the bytes themselves.
  const char* at() const { return at_; }
  const char* end() const { return end_; }
  void move_to(const char* at) { at_ = at; }

  static constexpr int kDeepest = 32;

 private:
  bool fail() {
    failed_ = true;
    return false;
  }
  char peek_after_blanks();
  bool word(std::string_view expected);
  bool escape(std::string& room);
  bool hex(std::uint32_t& out);
  bool skip(int depth);

  const char* at_;
  const char* end_;
  bool failed_ = false;
};

// Whether the bytes are UTF-8.
bool is_utf8(std::string_view text);

}  // namespace rein
