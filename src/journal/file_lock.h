// FileLock: a lock on a whole file that one holder has at a time, in this process or in another.
// The kernel releases the lock when the process ends, however it ends, so a file that is left over
// after a crash locks nothing.
#pragma once

#include <string>

#include "rein/result.h"

namespace rein {

class FileLock {
 public:
  FileLock() = default;
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;

  // Creates the file if it is missing. Refuses with kFailed if the lock is held elsewhere.
  static Result<FileLock> take(const std::string& path);
  // Shares the lock with other readers and never creates the file: if there is none, nothing is
  // locked, and that is success.
  static Result<FileLock> share(const std::string& path);

 private:
  explicit FileLock(int file) : file_(file) {}
  static Result<FileLock> lock(const std::string& path, int file, int operation);

  int file_ = -1;
};

}  // namespace rein
