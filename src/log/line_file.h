// LineFile: the lines of a text file, plain or gzip, one at a time, and where their words end.
//
// Lines end in LF or CRLF. kLinePadding bytes after a line can be read, so that parsers may load whole
// words. A line over kMaxRecordBytes, UTF-16 and damaged gzip are refused with their place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_file.h"
#include "base/kernels.h"
#include "log/fast_number.h"
#include "rein/result.h"

namespace rein {

class LineFile {
 public:
  // `marks` end words.
  static Result<LineFile> open(const std::string& path, const Marks& marks = {'\n', '\n', '\n'});

  // The next line, without its end, and the places where its words end: at the marks, and at its end.
  // False at the end of the file. Valid until the next call.
  Result<bool> next(std::string_view& line, std::span<const char* const>& ends);
  // False if that line has bytes above 127, or if that is not known.
  bool is_ascii() const { return ascii_; }
  // The number of that line, from 1.
  std::int64_t line() const { return line_; }
  // The start of the file, before the first next().
  std::string_view start() const { return {buffer_.data() + at_, end_ - at_}; }
  bool mixed_ends() const { return saw_lf_ && saw_crlf_; }
  const std::string& path() const { return path_; }
  std::int64_t position() const { return file_->position(); }
  std::int64_t size() const { return size_; }
  // `log PATH, line 7: ...`
  Error wrong(std::int64_t line, std::string_view message) const;

 private:
  LineFile() = default;
  // Reads more after the unread part; false at the end.
  Result<bool> refill();
  // Finds the marks of the next lines, up to `size` bytes; false if no line ends there.
  bool mark(std::size_t size);
  // Takes the line up to `stop` as the next line. The last of its marks, its end, has the number
  // `last`.
  void take(const char* stop, std::size_t last, std::string_view& line,
            std::span<const char* const>& ends);

  std::string path_;
  std::unique_ptr<ByteFile> file_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::int64_t line_ = 0;
  std::int64_t size_ = 0;
  bool ended_ = false;
  bool saw_lf_ = false;
  bool saw_crlf_ = false;
  // Lines whose marks are known, and which of the marks are theirs.
  Marks marks_{};
  std::vector<const char*> places_;
  std::vector<std::uint32_t> ends_;
  std::size_t found_ = 0, marked_ = 0, next_marked_ = 0, next_place_ = 0;
  bool ascii_ = false;
};

}  // namespace rein
