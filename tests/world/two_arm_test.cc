// two_arm: exactly the problem of docs/world/two_arm.md.
#include <gtest/gtest.h>

#include <string>
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

// The same for the other worlds whose costs may be several equal ones.
TEST(TwoArm, EqualCostsAreCopies) {
  for (const char* name : {"two_arm", "spend_or_save", "slack_then_trap"}) {
    const auto one = make_world(name, 3, 10).value();
    const auto four = make_world(std::string(name) + "(m=4)", 3, 10).value();
    ASSERT_EQ(four->shape().costs.size(), 4U);
    for (int t = 0; t < 10; ++t) {
      std::vector<double> means(4), copies(10);
      one->next();
      four->next();
      one->means(means);
      four->means(copies);
      for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_EQ(copies[i], means[i < 2 ? i : 2 + i % 2]) << name;
      }
    }
  }
}

}  // namespace
}  // namespace rein
