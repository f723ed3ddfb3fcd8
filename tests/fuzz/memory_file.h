// A file in memory only, with a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "fuzz/targets.h"

namespace rein::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(Bytes bytes) : file_(::memfd_create("fuzz", 0)) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(file_, bytes.data(), bytes.size());
      expect(n > 0, "a memory file can be written");
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace rein::fuzz
