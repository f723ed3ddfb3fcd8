// A world allocates nothing once it is made: this program counts every operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "world/worlds.h"

namespace {
std::atomic<long> allocations = 0;
}  // namespace

// Not inlined: gcc would see a free() of what new gave, and warn that they do not match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace rein {
namespace {

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  const auto made = std::make_unique<std::vector<double>>(10);
  EXPECT_GT(allocations, before) << made->size();
}

TEST(Allocation, NoRoundAllocates) {
  for (const std::string& spec : contract_specs()) {
    const auto world = world_of(spec);
    const Shape& shape = world->shape();
    std::vector<double> means(static_cast<std::size_t>(shape.actions * shape.heads()));
    std::vector<double> truth(static_cast<std::size_t>(shape.heads()));
    Outcome outcome;
    const long before = allocations;
    for (int t = 0; t < 300; ++t) {
      const Round& round = world->next();
      world->means(means);
      const int action = t % round.actions;
      world->outcome(action, outcome);
      shape.truth->evaluate(0, round, action, truth);
      world->observe(action, outcome);
    }
    EXPECT_EQ(allocations, before) << spec;
  }
}

}  // namespace
}  // namespace rein
