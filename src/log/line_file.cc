#include "log/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/csv.h"

namespace rein {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

}  // namespace

Error LineFile::wrong(std::int64_t line, std::string_view message) const {
  return Error{fmt::format("log {}, line {}: {}", path_, line, message)};
}

Result<LineFile> LineFile::open(const std::string& path) {
  LineFile out;
  out.path_ = path;
  const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (handle < 0) {
    return Error{fmt::format("log {}: cannot be opened: {}", path, std::strerror(errno))};
  }
  out.file_ = std::make_unique<ByteFile>(handle);
  struct stat found {};
  if (::fstat(handle, &found) != 0 || !S_ISREG(found.st_mode)) {
    return Error{
        fmt::format("log {}: is not a regular file; accepted: a file, plain or gzip", path)};
  }
  out.size_ = found.st_size;
  out.buffer_.resize(kBufferBytes + kLinePadding);
  auto more = out.refill();
  if (!more) return more.failure();
  if (!more.value())
    return Error{fmt::format("log {}: is empty; accepted: one decision or more", path)};
  if (path.ends_with(".gz") && !out.file_->is_gzip()) {
    return Error{fmt::format("log {}: is not gzip, though its name ends in .gz", path)};
  }
  const std::string_view start = out.start();
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
    return Error{fmt::format("log {}: is UTF-16; accepted: UTF-8", path)};
  }
  if (start.starts_with("\xEF\xBB\xBF")) out.at_ = 3;
  return out;
}

Result<bool> LineFile::refill() {
  if (ended_) return false;
  const std::size_t left = end_ - at_;
  if (left > kMaxRecordBytes) {
    return wrong(line_ + 1,
                 fmt::format("is too long; accepted: at most {} bytes", kMaxRecordBytes));
  }
  if (at_ > 0) std::memmove(buffer_.data(), buffer_.data() + at_, left);
  at_ = 0;
  end_ = left;
  if (buffer_.size() - kLinePadding < 2 * left) buffer_.resize(2 * left + kLinePadding);
  while (end_ < buffer_.size() - kLinePadding) {
    const auto got = file_->read(buffer_.data() + end_, buffer_.size() - kLinePadding - end_);
    if (!got) return wrong(line_ + 1, got.error());
    if (got.value() == 0) {
      ended_ = true;
      break;
    }
    end_ += got.value();
  }
  std::memset(buffer_.data() + end_, 0, kLinePadding);  // no digit follows the last line
  return end_ > left;
}

Result<bool> LineFile::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* const from = buffer_.data() + at_;
    const auto* stop =
        static_cast<const char*>(std::memchr(from + searched, '\n', end_ - at_ - searched));
    std::size_t length = end_ - at_;
    if (stop == nullptr) {
      searched = length;
      auto more = refill();
      if (!more) return more;
      if (more.value()) continue;
      if (length == 0) return false;
    } else {
      length = static_cast<std::size_t>(stop - from);
    }
    ++line_;
    line = {buffer_.data() + at_, length};
    at_ += length + (stop == nullptr ? 0 : 1);
    const bool crlf = line.ends_with('\r');
    if (crlf) line.remove_suffix(1);
    if (stop != nullptr) (crlf ? saw_crlf_ : saw_lf_) = true;
    return true;
  }
}

}  // namespace rein
