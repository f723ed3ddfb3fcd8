#include "journal/file_places.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace rein {

Result<> FilePlaces::remember(const std::vector<std::string>& paths) {
  places_.clear();
  for (const std::string& path : paths) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) {
      return Error{fmt::format("{}: {}", path, std::strerror(errno)), Reason::kFailed};
    }
    places_.push_back({path, about.st_dev, about.st_ino});
  }
  return {};
}

Result<> FilePlaces::check() const {
  for (const Place& place : places_) {
    struct stat about {};
    const bool there = ::stat(place.path.c_str(), &about) == 0;
    if (there && about.st_dev == place.device && about.st_ino == place.number) continue;
    return Error{fmt::format("{} was {} while it was open, so what is written is lost", place.path,
                             there ? "replaced" : "deleted or moved"),
                 Reason::kFailed};
  }
  return {};
}

}  // namespace rein
