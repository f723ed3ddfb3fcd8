// Counts every operator new of the test program that links allocations.cc.
#pragma once

#include <atomic>

namespace rein {

extern std::atomic<long> allocations;      // calls so far
extern std::atomic<long> allocated_bytes;  // and what they asked for

}  // namespace rein
