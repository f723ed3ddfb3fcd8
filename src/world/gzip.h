// ByteFile: the bytes of a file, plain or gzip, from its start to its end.
//
// gzip is known by its first two bytes. It may have several members, one after another, as
// `cat a.gz b.gz` makes it; zero bytes may follow the last one, as tapes add them. Anything else
// after a member is refused with its place: zlib's own gzread() takes it for the end of the file,
// and a table with one damaged byte would lose its other rows in silence.
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
  // Takes over an open file, at its start.
  explicit ByteFile(int file);
  ~ByteFile();
  ByteFile(const ByteFile&) = delete;
  ByteFile& operator=(const ByteFile&) = delete;

  // Fills `out` with up to `room` bytes; 0 at the end. The bytes before a damaged place come first,
  // then the error. After an error nothing more can be read.
  Result<std::size_t> read(char* out, std::size_t room);
  // Back to the start; false, with errno set, where the file cannot.
  bool rewind();
  // Known after the first read().
  bool is_gzip() const { return gzip_; }

 private:
  bool fill();
  Result<> start();
  Result<> next_member();
  Result<std::size_t> inflate_some(char* out, std::size_t room);
  Error damaged(const std::string& how) const;

  int file_;
  std::vector<unsigned char> input_;
  std::int64_t taken_ = 0;  // bytes of the file up to the end of input_
  z_stream stream_{};  // next_in and avail_in are the unread part of input_, for plain files too
  bool started_ = false;
  bool gzip_ = false;
  bool inside_ = false;  // of a member
  bool ended_ = false;   // no more bytes come from the file
  int code_ = 0;         // errno where reading failed
};

}  // namespace rein
