#include "base/byte_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace rein {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 16;
constexpr int kGzipWindow = 15 + 16;  // the largest window, with a gzip header
constexpr unsigned char kMagic[] = {0x1F, 0x8B};

}  // namespace

ByteFile::ByteFile(int file) : file_(file), input_(kInputBytes) {
  if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
}

ByteFile::~ByteFile() {
  inflateEnd(&stream_);
  ::close(file_);
}

bool ByteFile::rewind() {
  if (::lseek(file_, 0, SEEK_SET) != 0) return false;
  inflateReset(&stream_);
  stream_.avail_in = 0;
  taken_ = 0;
  started_ = gzip_ = inside_ = ended_ = false;
  code_ = 0;
  return true;
}

// Appends more input to the unread part; false at the end of the file or if reading fails.
bool ByteFile::fill() {
  if (ended_) return false;
  if (stream_.avail_in > 0) std::memmove(input_.data(), stream_.next_in, stream_.avail_in);
  stream_.next_in = input_.data();
  const std::size_t n = take(input_.data() + stream_.avail_in, input_.size() - stream_.avail_in);
  stream_.avail_in += static_cast<uInt>(n);
  return n > 0;
}

std::size_t ByteFile::take(void* out, std::size_t room) {
  if (ended_) return 0;
  ssize_t n = 0;
  do {
    n = ::read(file_, out, room);
  } while (n < 0 && errno == EINTR);
  if (n < 0) code_ = errno;
  ended_ = n <= 0;
  if (ended_) return 0;
  taken_ += n;
  return static_cast<std::size_t>(n);
}

Error ByteFile::damaged(const std::string& how) const {
  if (code_ != 0) {
    return Error{fmt::format("reading failed: {}", std::strerror(code_)), Reason::kFailed};
  }
  return Error{fmt::format("{} (byte {} of the file)", how, taken_ - stream_.avail_in)};
}

Result<> ByteFile::start() {
  started_ = true;
  while (stream_.avail_in < sizeof kMagic && fill()) {
  }
  if (code_ != 0) return damaged({});
  gzip_ = stream_.avail_in >= sizeof kMagic &&
          std::equal(std::begin(kMagic), std::end(kMagic), stream_.next_in);
  inside_ = gzip_;
  return {};
}

// Goes on after a member: with another member, or with zeros up to the end of the file.
Result<> ByteFile::next_member() {
  while (stream_.avail_in < sizeof kMagic && fill()) {
  }
  if (stream_.avail_in >= sizeof kMagic &&
      std::equal(std::begin(kMagic), std::end(kMagic), stream_.next_in)) {
    inflateReset(&stream_);
    inside_ = true;
    return {};
  }
  while (stream_.avail_in > 0 || fill()) {
    if (*stream_.next_in != 0) {
      return damaged("what follows the gzip data is not gzip; accepted: another gzip member");
    }
    ++stream_.next_in;
    --stream_.avail_in;
  }
  return code_ != 0 ? Result<>(damaged({})) : Result<>();
}

Result<std::size_t> ByteFile::inflate_some(char* out, std::size_t room) {
  stream_.next_out = reinterpret_cast<Bytef*>(out);
  stream_.avail_out = static_cast<uInt>(room);
  while (stream_.avail_out > 0) {
    if (!inside_) {
      if (stream_.avail_out < room) break;  // return what is there before continuing
      if (auto fine = next_member(); !fine) return fine.failure();
      if (!inside_) break;
    }
    if (stream_.avail_in == 0 && !fill()) {
      if (stream_.avail_out < room) break;
      return damaged("the gzip data is cut off");
    }
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      inside_ = false;
    } else if (code == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      if (stream_.avail_out < room) break;  // inflate() reports the same again next time
      const char* why = stream_.msg == nullptr ? "unknown" : stream_.msg;
      return damaged(fmt::format("the gzip data is damaged: {}", why));
    }
  }
  return room - stream_.avail_out;
}

Result<std::size_t> ByteFile::read(char* out, std::size_t room) {
  if (!started_) {
    if (auto fine = start(); !fine) return fine.failure();
  }
  if (gzip_) return inflate_some(out, room);
  if (stream_.avail_in == 0) {  // past the start, into the caller's memory at once
    const std::size_t n = take(out, room);
    if (code_ != 0) return damaged({});
    return n;
  }
  const std::size_t n = std::min<std::size_t>(room, stream_.avail_in);
  std::memcpy(out, stream_.next_in, n);
  stream_.next_in += n;
  stream_.avail_in -= static_cast<uInt>(n);
  return n;
}

}  // namespace rein
