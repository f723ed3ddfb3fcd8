// FilePlaces: whether open files still stand under their names. A file that was deleted or replaced
// can be written and synced without an error, and everything in it is gone when it is closed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "rein/result.h"

namespace rein {

class FilePlaces {
 public:
  // Each of the files must be there.
  Result<> remember(const std::vector<std::string>& paths);
  // kFailed if a file is gone or another file has its name. The check takes a system call of about
  // a microsecond per file.
  Result<> check() const;

 private:
  struct Place {
    std::string path;
    dev_t device;
    ino_t number;
  };
  std::vector<Place> places_;
};

}  // namespace rein
