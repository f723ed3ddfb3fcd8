// Bodies in lines (NDJSON): cutting bytes into lines, and putting answers back into order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace rein::serve {

// Bytes go in at the end of buffer(), lines come out at the front.
class LineCutter {
 public:
  std::string& buffer() { return buffer_; }
  // The next complete line without its line break, or nothing. The view holds until bytes are added.
  std::optional<std::string_view> next();
  // The bytes after the last line break. REQUIRES that next() returned no line.
  std::string_view rest() const { return std::string_view(buffer_).substr(begin_); }
  void clear();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;    // of the next line
  std::size_t scanned_ = 0;  // no line break between begin_ and here
};

// Answers that leave in the order of their requests, in whatever order they come.
class AnswerQueue {
 public:
  // Notes that the request with this number waits for its answer. Numbers rise by one.
  void expect(std::uint64_t number);
  // The answer, as a line with its line break. An unknown number is dropped.
  void fill(std::uint64_t number, std::string line);
  // Appends the answers that are due and removes them.
  void pop(std::string& out);
  std::size_t size() const { return waiting_.size(); }
  bool empty() const { return waiting_.empty(); }
  void clear() { waiting_.clear(); }

 private:
  std::uint64_t first_ = 0;
  std::deque<std::optional<std::string>> waiting_;
};

}  // namespace rein::serve
