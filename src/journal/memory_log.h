// A SharedLog in memory, for several nodes in one process: for tests and simulations. Everything is gone
// when it is destroyed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "journal/shared_log.h"

namespace rein {

// `millis` is the clock of the store, in milliseconds of UTC; empty: the system's.
std::shared_ptr<SharedLog> make_memory_log(std::function<std::int64_t()> millis = {});

}  // namespace rein
