#include "journal/calls_model.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

namespace {

std::int64_t count = 0;
std::int64_t fail_at = 0;  // 0: never
int with_error = 0;
bool ever_after = false;
bool counting = false;
bool ends = false;

bool fails() {
  if (!counting) return false;
  ++count;
  if (ends && count == fail_at) ::_exit(rein::calls::kEnded);
  const bool now = !ends && fail_at > 0 && (count == fail_at || (ever_after && count > fail_at));
  if (now) errno = with_error;
  return now;
}

}  // namespace

namespace rein::calls {

void fail(std::int64_t nth, int error, bool for_good) {
  count = 0;
  fail_at = nth;
  with_error = error;
  ever_after = for_good;
  ends = false;
  counting = true;
}

void end_process(std::int64_t nth) {
  fail(nth, 0, false);
  ends = true;
}

std::int64_t stop() {
  counting = false;
  return count;
}

}  // namespace rein::calls

extern "C" {

int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int file, const void* bytes, std::size_t size);
int __real_fsync(int file);
int __real_close(int file);
int __real_rename(const char* from, const char* to);
int __real_unlink(const char* path);

int __wrap_open(const char* path, int flags, ...);
ssize_t __wrap_write(int file, const void* bytes, std::size_t size);
int __wrap_fsync(int file);
int __wrap_close(int file);
int __wrap_rename(const char* from, const char* to);
int __wrap_unlink(const char* path);

int __wrap_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return fails() ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_write(int file, const void* bytes, std::size_t size) {
  if (!fails()) return __real_write(file, bytes, size);
  const int error = errno;
  const ssize_t written = __real_write(file, bytes, size / 2);
  errno = error;
  return written < 0 ? written : -1;
}

int __wrap_fsync(int file) { return fails() ? -1 : __real_fsync(file); }

int __wrap_close(int file) {
  const bool fail = fails();  // the descriptor is gone all the same, as on Linux
  const int error = errno;
  const int closed = __real_close(file);
  if (fail) errno = error;
  return fail ? -1 : closed;
}

int __wrap_rename(const char* from, const char* to) {
  return fails() ? -1 : __real_rename(from, to);
}

int __wrap_unlink(const char* path) { return fails() ? -1 : __real_unlink(path); }

}  // extern "C"
