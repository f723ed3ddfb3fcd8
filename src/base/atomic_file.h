// Files that are written whole: a reader, a crash or a full disk finds the old file or the new one,
// never a part of either.
//
// The bytes go to a temporary file (.rein-PID-N) in the same folder, which is synced and then
// renamed; at last the folder is synced. A symbolic link stays, and the file it names is replaced.
// The new file keeps the permissions of the old one. A device or a pipe has nothing to keep: it is
// written directly.
#pragma once

#include <string>
#include <string_view>

#include "rein/result.h"

namespace rein {

// The Error says which path, and why; its reason is kFailed. The old file is then still there,
// unless the message says that only the last sync failed.
Result<> write_whole(const std::string& path, std::string_view data);

// Whether write_whole could begin: the folder takes a new file, and what stands at `path` may be
// replaced. Ask before hours of work. A disk may still fill up later.
Result<> check_writable(const std::string& path);

// Writes all of `data` to an open file; false, with errno set, where it cannot.
bool write_all(int file, std::string_view data);

}  // namespace rein
