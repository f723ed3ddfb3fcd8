// Atomic file replacement: after a crash or with a full disk, a reader finds the old file or the
// new one, never a part of either.
//
// The bytes are written to a temporary file (.rein-PID-N) in the same folder, which is synced and
// then renamed. Then the folder is synced. A symbolic link is kept, and its target is replaced. The
// new file keeps the permissions of the old one. A device or a pipe is written directly.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "rein/result.h"

namespace rein {

// The error names the path and the cause; its reason is kFailed. The old file is then still there,
// unless the message says that only the last sync failed.
Result<> write_whole(const std::string& path, std::string_view data);

// Whether write_whole() could start: the folder accepts a new file, and the file at `path` may be
// replaced. Call it before hours of work. The disk may still fill up later.
Result<> check_writable(const std::string& path);

// Replaces a file that is written piece by piece. Without finish() the old file stays.
class PieceFile {
 public:
  static Result<PieceFile> open(const std::string& path);
  PieceFile(PieceFile&&) noexcept;
  PieceFile& operator=(PieceFile&&) noexcept;
  ~PieceFile();

  Result<> write(std::string_view data);
  // Waits until the bytes written so far are on the disk. finish() does this too.
  Result<> sync();
  Result<> finish();

 private:
  struct Open;
  explicit PieceFile(std::unique_ptr<Open> open);
  std::unique_ptr<Open> open_;
};

// Makes new names in a folder survive a crash of the machine; false, with errno set, on failure.
bool sync_folder(const std::string& folder);

// Writes all of `data` to an open file; false, with errno set, on failure.
bool write_all(int file, std::string_view data);

}  // namespace rein
