#include "serve/failing_calls_model.h"

#include <fcntl.h>
#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>

namespace rein::serve {

std::atomic<bool> counting = false;
namespace {
std::atomic<std::int64_t> calls = 0;
std::int64_t fail_at = 0;
bool fail_later = false;

bool fails(int code) {
  if (!counting) return false;
  const std::int64_t number = ++calls;
  const bool now = fail_at > 0 && (number == fail_at || (fail_later && number > fail_at));
  if (now) errno = code;
  return now;
}

}  // namespace

FailingCalls::FailingCalls(std::int64_t nth, bool for_good) {
  fail_at = nth;
  fail_later = for_good;
  calls = 0;
  counting = true;
}

FailingCalls::~FailingCalls() { counting = false; }

std::int64_t FailingCalls::made() { return calls; }

}  // namespace rein::serve

// NOLINTBEGIN: the linker gives these names.
extern "C" {
int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int file, const void* bytes, std::size_t size);
int __real_fsync(int file);
int __real_rename(const char* from, const char* to);

int __wrap_open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const bool writes = (flags & O_EXCL) != 0;  // temporary files of snapshots
  if (writes && rein::serve::fails(ENOSPC)) return -1;
  return __real_open(path, flags, mode);
}
ssize_t __wrap_write(int file, const void* bytes, std::size_t size) {
  return rein::serve::fails(ENOSPC) ? -1 : __real_write(file, bytes, size);
}
// Nothing is really synced meanwhile: the machine of the test goes on, and syncs take long.
int __wrap_fsync(int file) {
  if (rein::serve::fails(EIO)) return -1;
  return rein::serve::counting ? 0 : __real_fsync(file);
}
int __wrap_rename(const char* from, const char* to) {
  return rein::serve::fails(EIO) ? -1 : __real_rename(from, to);
}
}
// NOLINTEND
