// LineFile: the lines of a text file, plain or gzip, one at a time.
//
// Lines end in LF or CRLF. kLinePadding bytes after a line can be read, so that parsers may load whole
// words. A line over kMaxRecordBytes, UTF-16 and damaged gzip are refused with their place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_file.h"
#include "log/fast_number.h"
#include "rein/result.h"

namespace rein {

class LineFile {
 public:
  static Result<LineFile> open(const std::string& path);

  // The next line, without its end; false at the end of the file. Valid until the next call.
  Result<bool> next(std::string_view& line);
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
};

}  // namespace rein
