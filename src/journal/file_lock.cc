#include "journal/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "journal/regular_file.h"

namespace rein {

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

Result<FileLock> FileLock::take(const std::string& path) {
  if (auto regular = check_regular_file(path); !regular) return regular.failure();
  return lock(path, ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), LOCK_EX | LOCK_NB);
}

Result<FileLock> FileLock::share(const std::string& path) {
  if (auto regular = check_regular_file(path); !regular) return regular.failure();
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return FileLock();
  return lock(path, file, LOCK_SH | LOCK_NB);
}

Result<FileLock> FileLock::lock(const std::string& path, int file, int operation) {
  if (file < 0) {
    return Error{fmt::format("cannot open the lock file {}: {}", path, std::strerror(errno)),
                 Reason::kFailed};
  }
  FileLock held(file);
  while (::flock(file, operation) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) {
      return Error{
          fmt::format("{} is locked, so the journal is open elsewhere; stop the service that "
                      "has it, or read a copy of its folder",
                      path),
          Reason::kFailed};
    }
    return Error{fmt::format("cannot lock {}: {}", path, std::strerror(errno)), Reason::kFailed};
  }
  return held;
}

}  // namespace rein
