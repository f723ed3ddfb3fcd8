// two_arm: exactly the problem of docs/world/two_arm.md.
#include <gtest/gtest.h>

#include <vector>

#include "rein/world.h"

namespace rein {
namespace {

TEST(TwoArm, GivesItsMeansWithoutNoise) {
  auto world = make_world("two_arm", 3, 100).value();
  EXPECT_EQ(world->shape().actions, 2);
  EXPECT_EQ(world->shape().costs.size(), 1U);
  for (int t = 0; t < 100; ++t) {
    const Round& round = world->next();
    EXPECT_TRUE(round.context.empty());
    std::vector<double> means(4);
    world->means(means);
    EXPECT_EQ(means, (std::vector<double>{1.0, 0.0, -1.0, 1.0}));
    Outcome first;
    Outcome second;
    world->outcome(0, first);
    world->outcome(1, second);
    EXPECT_EQ(first.reward, 1.0);
    EXPECT_EQ(first.costs, Costs({-1.0}));
    EXPECT_EQ(second.reward, 0.0);
    EXPECT_EQ(second.costs, Costs({1.0}));
  }
}

}  // namespace
}  // namespace rein
