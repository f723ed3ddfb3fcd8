// check(): verifies a guarantee of rein itself. Always on; throws Bug, never aborts.
#pragma once

#include "rein/result.h"

namespace rein {

inline void check(bool held, const char* promise) {
  if (!held) [[unlikely]]
    throw Bug(promise);
}

}  // namespace rein
