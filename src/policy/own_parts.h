// Which pieces of the caller's own a policy's spec uses, itself or in the specs inside it.
#pragma once

#include <string>

#include "rein/oracle.h"
#include "rein/spec.h"

namespace rein {

// pricer=own: a potential of the caller's own.
bool uses_potential(const Spec& policy);
// oracle=own, also inside a stack or another wrapper: an oracle of the caller's own, which may
// throw whenever it is called.
bool uses_own_oracle(const Spec& policy);

// Brings an oracle back to what it was, unless keep() is called: an oracle of the caller's own may
// throw after others beside it, or it itself, have learned. What the caller's own oracle keeps is
// the caller's to mend. `room` is memory that is used again and again.
class Undo {
 public:
  // Does nothing where it is not needed.
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
