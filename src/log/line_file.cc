#include "log/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/csv.h"

namespace rein {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr std::size_t kMarkedBytes = std::size_t{1} << 14;  // whose marks fit the nearest cache
constexpr std::size_t kSpareMarks = 8;                      // as Kernels::find_lines wants it

}  // namespace

Error LineFile::wrong(std::int64_t line, std::string_view message) const {
  return Error{fmt::format("log {}, line {}: {}", path_, line, message)};
}

Result<LineFile> LineFile::open(const std::string& path, const Marks& marks) {
  LineFile out;
  out.path_ = path;
  out.marks_ = marks;
  const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (handle < 0) {
    return Error{fmt::format("log {}: cannot be opened: {}", path, std::strerror(errno))};
  }
  out.file_ = std::make_unique<ByteFile>(handle);
  struct stat found{};
  if (::fstat(handle, &found) != 0 || !S_ISREG(found.st_mode)) {
    return Error{
        fmt::format("log {}: is not a regular file; accepted: a file, plain or gzip", path)};
  }
  out.size_ = found.st_size;
  out.buffer_.resize(kBufferBytes + kLinePadding);
  auto refilled = out.refill();
  if (!refilled) return refilled.failure();
  if (!refilled.value())
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

bool LineFile::mark(std::size_t size) {
  if (places_.size() < size + kSpareMarks) {
    places_.resize(size + kSpareMarks);
    ends_.resize(size + kSpareMarks);
  }
  const char* const from = buffer_.data() + at_;
  const MarkedLines found = kernels().find_lines(from, size, marks_, places_.data(), ends_.data());
  found_ = found.places;
  marked_ = found.lines;
  ascii_ = found.ascii;
  next_marked_ = next_place_ = 0;
  return marked_ > 0;
}

void LineFile::take(const char* stop, std::size_t last, std::string_view& line,
                    std::span<const char* const>& ends) {
  const char* const from = buffer_.data() + at_;
  ++line_;
  line = {from, static_cast<std::size_t>(stop - from)};
  at_ += line.size();
  if (line.ends_with('\r')) line.remove_suffix(1);
  places_[last] = line.data() + line.size();
  ends = {places_.data() + next_place_, last + 1 - next_place_};
  next_place_ = last + 1;
}

Result<bool> LineFile::next(std::string_view& line, std::span<const char* const>& ends) {
  std::size_t window = kMarkedBytes;
  while (next_marked_ == marked_ && !mark(std::min(end_ - at_, window))) {
    if (window < end_ - at_) {  // a long line
      window *= 2;
      continue;
    }
    auto refilled = refill();
    if (!refilled) return refilled;
    if (refilled.value()) continue;
    if (at_ == end_) return false;
    mark(end_ - at_);                                 // refill() moved it
    take(buffer_.data() + end_, found_, line, ends);  // the last line, without an end
    return true;
  }
  const std::size_t last = ends_[next_marked_++];
  const char* const stop = places_[last];
  take(stop, last, line, ends);
  ++at_;
  (line.data() + line.size() < stop ? saw_crlf_ : saw_lf_) = true;
  return true;
}

}  // namespace rein
