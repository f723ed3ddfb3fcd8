// Changes: what an oracle says about changes with time that it noticed (abilities.h).
#pragma once

#include <cstdint>

namespace rein {

struct Changes {
  std::int64_t times = 0;   // how many were noticed
  std::int64_t round = -1;  // when the last change was noticed, in outcomes learned
  int head = -1;            // the head that changed
};

}  // namespace rein
