// Linked into every program that counts allocations: checks that the counter counts.
#include "allocations.h"

#include <gtest/gtest.h>

#include <vector>

namespace rein {
namespace {

TEST(Allocations, AreCounted) {
  const long before = allocations;
  const std::vector<double> made(100);
  asm volatile("" : : "r"(made.data()) : "memory");  // a compiler may leave out what nobody uses
  EXPECT_EQ(allocations - before, 1) << made.size();
}

}  // namespace
}  // namespace rein
