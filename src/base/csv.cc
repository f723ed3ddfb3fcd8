#include "base/csv.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rein {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

bool ends_plain_field(char c) { return c == ',' || c == '\n' || c == '\r' || c == '"'; }

FileStamp stamp_of(const struct stat& found) {
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .modified_ns = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
}

}  // namespace

Error CsvReader::wrong(std::int64_t line, std::string_view message) const {
  return Error{fmt::format("{} {}, line {}: {}", what_, path_, line, message)};
}

Error CsvReader::wrong(std::string_view message) const {
  return Error{fmt::format("{} {}: {}", what_, path_, message)};
}

Result<CsvReader> CsvReader::open(const std::string& path, std::string what) {
  CsvReader reader;
  reader.what_ = std::move(what);
  reader.path_ = path;
  const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (handle < 0) {
    return reader.wrong(fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  struct stat found {};
  if (::fstat(handle, &found) != 0 || !S_ISREG(found.st_mode)) {
    ::close(handle);
    return reader.wrong("is not a regular file; accepted: a CSV file, plain or gzip");
  }
  reader.stamp_ = stamp_of(found);
  reader.file_ = std::make_unique<ByteFile>(handle);
  reader.buffer_.resize(kBufferBytes);
  reader.record_.reserve(kBufferBytes);
  if (auto ok = reader.check_start(); !ok) return ok.failure();
  return reader;
}

Result<> CsvReader::check_start() {
  if (stamp_.size == 0) return wrong("is empty; accepted: a header, then one row per round");
  refill();
  if (auto ok = check_read(); !ok) return ok;
  if (path_.ends_with(".gz") && !file_->is_gzip()) {
    return wrong(
        "is not gzip, though its name ends in .gz; accepted: gzip, or plain CSV under another "
        "name");
  }
  const std::string_view start(buffer_.data(), end_);
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
    return wrong("is UTF-16; accepted: UTF-8");
  }
  if (start.starts_with("\xEF\xBB\xBF")) at_ = 3;
  return {};
}

Result<> CsvReader::rewind() {
  if (!file_->rewind()) return wrong("cannot be read again from its start");
  at_ = end_ = 0;
  next_line_ = 1;
  ends_seen_ = 0;
  failure_.reset();
  return check_start();
}

bool CsvReader::refill() {
  at_ = end_ = 0;
  if (failure_) return false;
  const auto got = file_->read(buffer_.data(), buffer_.size());
  if (!got) failure_ = got.failure();
  end_ = got ? got.value() : 0;
  return end_ > 0;
}

Result<> CsvReader::check_read() const {
  if (!failure_) return {};
  return Error{wrong(next_line_, failure_->message).message, failure_->reason};
}

Result<bool> CsvReader::next() {
  std::int64_t blank = 0;
  for (;;) {
    auto found = record();
    if (!found || !found.value()) return found;
    if (fields_.size() != 1 || !fields_[0].empty()) break;
    if (blank == 0) blank = line_;
  }
  if (blank != 0) return wrong(blank, "is blank; accepted: blank lines only at the end");
  return true;
}

Result<bool> CsvReader::record() {
  record_.clear();
  ends_.clear();
  line_ = next_line_;
  if (peek() < 0) {
    if (auto ok = check_read(); !ok) return ok.failure();
    return false;
  }
  Ending ending = Ending::kComma;
  while (ending == Ending::kComma) {
    auto found = field();
    if (!found) return found.failure();
    ending = found.value();
    ends_.push_back(record_.size());
  }
  // From here on the bytes do not move.
  fields_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    fields_.push_back(std::string_view(record_).substr(begin, end - begin));
    begin = end;
  }
  return true;
}

Result<CsvReader::Ending> CsvReader::field() {
  if (peek() == '"') {
    if (auto ok = quoted_field(); !ok) return ok.failure();
  } else {
    plain_field();
  }
  if (record_.size() > kMaxRecordBytes) {
    return wrong(line_, fmt::format("is too long; accepted: at most {} bytes", kMaxRecordBytes));
  }
  return ending();
}

void CsvReader::plain_field() {
  while (peek() >= 0 && record_.size() <= kMaxRecordBytes) {
    const std::size_t begin = at_;
    while (at_ < end_ && !ends_plain_field(buffer_[at_])) ++at_;
    record_.append(buffer_.data() + begin, at_ - begin);
    if (at_ < end_) return;
  }
}

Result<> CsvReader::quoted_field() {
  const std::int64_t opened = next_line_;
  ++at_;
  while (record_.size() <= kMaxRecordBytes) {
    const int c = peek();
    if (c < 0) {
      if (auto ok = check_read(); !ok) return ok;
      return wrong(opened, "a quoted field opens here and never closes");
    }
    ++at_;
    if (c == '"') {
      if (peek() != '"') return {};
      ++at_;  // "" is an escaped quote
    }
    if (c == '\n') ++next_line_;
    record_.push_back(static_cast<char>(c));
  }
  return {};
}

Result<CsvReader::Ending> CsvReader::ending() {
  const int c = peek();
  if (c < 0) {
    if (auto ok = check_read(); !ok) return ok.failure();
    return Ending::kFile;
  }
  if (c != ',' && c != '\n' && c != '\r') {
    return wrong(next_line_,
                 fmt::format("field {} has a quote in its middle; accepted: a field wholly in "
                             "quotes, with \"\" for a quote",
                             ends_.size() + 1));
  }
  ++at_;
  if (c == ',') return Ending::kComma;
  const bool both = c == '\r' && peek() == '\n';
  if (both) ++at_;
  ends_seen_ |= both ? 4U : c == '\r' ? 2U : 1U;
  ++next_line_;
  return Ending::kLine;
}

}  // namespace rein
