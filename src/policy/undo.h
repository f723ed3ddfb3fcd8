// Undo: brings an oracle back to what it was, unless keep() is called.
//
// An oracle of the caller's own may throw after others next to it have learned, or after it has
// learned itself. Its own load() then gets the bytes of its save() too.
#pragma once

#include <string>

#include "rein/oracle.h"

namespace rein {

class Undo {
 public:
  // Does nothing if it is not needed. `room` is memory that is reused.
  Undo(Oracle& oracle, bool needed, std::string& room);
  Undo(const Undo&) = delete;
  ~Undo();
  void keep() { needed_ = false; }

 private:
  Oracle& oracle_;
  bool needed_;
  std::string& room_;
};

}  // namespace rein
