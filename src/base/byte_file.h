// ByteFile: the bytes of a file, plain or gzip, from start to end.
//
// gzip is detected by its first two bytes. It may have several members in sequence, as `cat a.gz
// b.gz` makes. Zero bytes may follow the last member, as tapes add them. Other bytes after a member
// are refused, and the message has their place. zlib's gzread() would take them for the end of the
// file, and a table with one damaged byte would silently lose its other rows.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rein/result.h"

namespace rein {

class ByteFile {
 public:
  // Takes ownership of an open file, at its start.
  explicit ByteFile(int file);
  ~ByteFile();
  ByteFile(const ByteFile&) = delete;
  ByteFile& operator=(const ByteFile&) = delete;

  // Fills `out` with up to `room` bytes; returns 0 at the end. Bytes before a damaged place are
  // returned first, then the error. After an error nothing more can be read.
  Result<std::size_t> read(char* out, std::size_t room);
  // Back to the start; false, with errno set, if the file cannot seek.
  bool rewind();
  // Known after the first read().
  bool is_gzip() const { return gzip_; }
  // Bytes of the file itself that were used.
  std::int64_t position() const { return taken_ - stream_.avail_in; }

 private:
  bool fill();
  // Bytes of the file itself; 0 at its end or if reading fails.
  std::size_t take(void* out, std::size_t room);
  Result<> start();
  Result<> next_member();
  Result<std::size_t> inflate_some(char* out, std::size_t room);
  Error damaged(const std::string& how) const;

  int file_;
  std::vector<unsigned char> input_;
  std::int64_t taken_ = 0;  // position in the file of the end of input_
  z_stream stream_{};  // next_in and avail_in are the unread part of input_, for plain files too
  bool started_ = false;
  bool gzip_ = false;
  bool inside_ = false;  // inside a member
  bool ended_ = false;   // the file has no more bytes
  int code_ = 0;         // errno if reading failed
};

}  // namespace rein
