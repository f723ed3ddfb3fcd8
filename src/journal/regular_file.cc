#include "journal/regular_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace rein {

Result<> check_regular_file(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode)) return {};
  return Error{fmt::format("{} is a folder, a pipe or a device; accepted: a regular file", path),
               Reason::kCorrupt};
}

}  // namespace rein
