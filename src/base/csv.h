// CsvReader: reads a file of comma-separated values, one record at a time, plain or gzip.
//
// It accepts RFC 4180 and what programs write in practice. Fields are separated by commas. A quoted
// field may hold commas, line ends, and "" for a quote. Lines end in LF, CRLF or CR; the last line
// may lack its end. A UTF-8 byte order mark is skipped. Blank lines are allowed only at the end.
//
// Ambiguous input is refused, with the file and the line: a quote inside an unquoted field, text
// after a closing quote, a quote that never closes, UTF-16, a damaged or truncated gzip stream,
// anything but another gzip member after one.
//
// gzip is detected by its first bytes. A file named .gz that is not gzip is refused. Memory: two
// buffers and one record, which grows past 64 KiB only for a longer record. A record over
// kMaxRecordBytes is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_file.h"
#include "rein/result.h"

namespace rein {

inline constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 24;

// Detects whether a file has changed, without reading it.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

class CsvReader {
 public:
  // Errors begin with `what`: `table PATH, line 7: ...`.
  static Result<CsvReader> open(const std::string& path, std::string what = "table");

  // Reads the next record; false at the end of the file. After an error nothing more can be read.
  Result<bool> next();
  // The record's fields, unquoted. Valid until the next call.
  std::span<const std::string_view> fields() const { return fields_; }
  // The line on which the record begins, from 1.
  std::int64_t line() const { return line_; }
  // Back to the first record.
  Result<> rewind();

  const std::string& path() const { return path_; }
  std::int64_t position() const { return file_->position(); }
  // Whether lines ended in more than one way so far.
  bool mixed_ends() const { return (ends_seen_ & (ends_seen_ - 1)) != 0; }
  const FileStamp& stamp() const { return stamp_; }
  Error wrong(std::int64_t line, std::string_view message) const;
  Error wrong(std::string_view message) const;  // about the whole file

 private:
  enum class Ending { kComma, kLine, kFile };

  CsvReader() = default;
  Result<> check_start();
  Result<bool> record();
  Result<Ending> field();
  Result<> quoted_field();
  void plain_field();
  Result<Ending> ending();
  bool refill();
  // The next byte, or -1 at the end of the file or if reading fails.
  int peek() { return at_ < end_ || refill() ? static_cast<unsigned char>(buffer_[at_]) : -1; }
  Result<> check_read() const;

  std::string what_;
  std::string path_;
  FileStamp stamp_;
  std::unique_ptr<ByteFile> file_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::string record_;             // the bytes of all fields
  std::vector<std::size_t> ends_;  // the end of each field
  std::vector<std::string_view> fields_;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  unsigned ends_seen_ = 0;        // 1: LF, 2: CR, 4: CRLF
  std::optional<Error> failure_;  // why reading stopped early
};

}  // namespace rein
