#include <gtest/gtest.h>

#include "world/worlds.h"

namespace rein {
namespace {

constexpr const char* kInner = "linear(d=3,k=4,m=2,noise=gaussian,rate=0.25)";

TEST(ScaledTest, EverythingButTheContextIsMultiplied) {
  const auto inner = world_of(kInner, 5, 100);
  const auto outer = world_of(fmt::format("scaled(cost=1000,of={},reward=0.5)", kInner), 5, 100);
  EXPECT_EQ(outer->shape().reward, (Range{-0.5, 0.5}));
  EXPECT_EQ(outer->shape().costs[1].range, (Range{-1000.0, 1000.0}));
  EXPECT_EQ(outer->shape().budgets, (std::vector<double>{25'000.0, 25'000.0}));
  EXPECT_TRUE(outer->iid());
  for (int t = 0; t < 20; ++t) {
    const Round& round = inner->next();
    const Round& same = outer->next();
    EXPECT_TRUE(std::equal(round.features.begin(), round.features.end(), same.features.begin()));
    const std::vector<double> means = means_of(*inner, 4), scaled = means_of(*outer, 4);
    std::vector<double> truth(3);
    for (int a = 0; a < 4; ++a) {
      Outcome came, here;
      inner->outcome(a, came);
      outer->outcome(a, here);
      EXPECT_EQ(here.reward, 0.5 * came.reward);
      EXPECT_EQ(here.costs[1], 1000.0 * came.costs[1]);
      outer->shape().truth->evaluate(0, same, a, truth);
      for (int h = 0; h < 3; ++h) {
        const auto at = static_cast<std::size_t>(h * 4 + a);
        EXPECT_EQ(scaled[at], means[at] * (h == 0 ? 0.5 : 1000.0));
        EXPECT_DOUBLE_EQ(truth[static_cast<std::size_t>(h)], scaled[at]);
      }
    }
  }
}

TEST(ScaledTest, RoomMovesOnlyTheLowEndsOfSignedCosts) {
  const auto world = world_of("scaled(cost=2,of=two_arm,room=100)", 1, 10);
  EXPECT_EQ(world->shape().costs[0].range, (Range{-200.0, 2.0}));
  world->next();
  EXPECT_EQ(means_of(*world, 2), (std::vector<double>{1.0, 0.0, -2.0, 2.0}));
  const auto positive = world_of("scaled(of=spend_or_save,room=100)", 1, 10);
  EXPECT_EQ(positive->shape().costs[0].range, (Range{0.0, 1.0}));
}

TEST(ScaledTest, RefusesFactorsOutOfRange) {
  EXPECT_FALSE(make_world("scaled(cost=0)", 1, 10).ok());
  EXPECT_FALSE(make_world("scaled(room=0.5)", 1, 10).ok());
  EXPECT_FALSE(make_world("scaled(of=nowhere)", 1, 10).ok());
}

}  // namespace
}  // namespace rein
