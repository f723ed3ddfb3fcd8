// What learns besides the oracle allocates nothing after construction.
#include <gtest/gtest.h>

#include <vector>

#include "allocations.h"
#include "tuning/alarm.h"

namespace rein {
namespace {

TEST(Alarm, LearningAllocatesNothing) {
  for (const Shape& shape : {Shape{.actions = 3, .context = 2}, Shape{.actions = 3, .features = 4},
                             Shape{.actions = 100, .context = 2}, Shape{.actions = 3}}) {
    Alarm alarm(shape, {.every = 1});
    const std::vector<double> x(static_cast<std::size_t>(shape.context), 0.3);
    const std::vector<double> f(static_cast<std::size_t>(shape.features * shape.actions), 0.2);
    const double p = 0.1, y = 0.4;
    const long before = allocations;
    for (int t = 0; t < 300; ++t) {
      alarm.learn({.actions = shape.actions, .context = x, .features = f}, t % 3, {&p, 1}, {&y, 1},
                  1.0);
    }
    EXPECT_EQ(allocations, before);
  }
}

}  // namespace
}  // namespace rein
