#include <gtest/gtest.h>

#include "world/worlds.h"

namespace rein {
namespace {

TEST(Subset, OffersAboutItsShareAndAlwaysTheOneNamed) {
  const auto world = world_of("subset(always=2,of=linear(k=10),share=0.3)", 3, 2000);
  double offered = 0.0;
  for (int t = 0; t < 2000; ++t) {
    const Round& round = world->next();
    offered += round.actions;
    EXPECT_EQ(std::count(round.ids.begin(), round.ids.end(), 2), 1);
    EXPECT_TRUE(std::is_sorted(round.ids.begin(), round.ids.end()));
  }
  EXPECT_NEAR(offered / 2000, 1.0 + 9 * 0.3, 0.15);  // 5 standard errors of the mean
}

TEST(Subset, ShowsTheActionsOfTheWorldInside) {
  const auto inside = world_of("heavy(k=6,m=2)", 5);
  const auto world = world_of("subset(of=heavy(k=6,m=2),share=0.4)", 5);
  for (int t = 0; t < 100; ++t) {
    inside->next();
    const Round& round = world->next();
    const auto all = means_of(*inside, 6), some = means_of(*world, round.actions);
    for (int a = 0; a < round.actions; ++a) {
      Outcome expected, found;
      inside->outcome(round.id(a), expected);
      world->outcome(a, found);
      EXPECT_EQ(found.reward, expected.reward);
      EXPECT_EQ(found.costs, expected.costs);
      for (int h = 0; h < 3; ++h) EXPECT_EQ(some[h * round.actions + a], all[h * 6 + round.id(a)]);
    }
  }
}

TEST(Subset, FeaturesGoWithTheirActions) {
  const auto inside = world_of("linear(d=3,k=5)", 8);
  const auto world = world_of("subset(of=linear(d=3,k=5))", 8);
  for (int t = 0; t < 50; ++t) {
    const Round& all = inside->next();
    const Round& round = world->next();
    for (int a = 0; a < round.actions; ++a) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_EQ(round.features[static_cast<std::size_t>(a * 3 + j)],
                  all.features[static_cast<std::size_t>(round.id(a) * 3 + j)]);
      }
    }
  }
}

TEST(Subset, SomethingIsAlwaysOffered) {
  const auto world = world_of("subset(of=linear(k=2),share=0.001)");
  for (int t = 0; t < 500; ++t) EXPECT_GE(world->next().actions, 1);
}

TEST(Subset, RefusesAnActionThatIsNotThere) {
  EXPECT_EQ(make_world("subset(always=8,of=linear(k=8))", 1, 10).error(),
            "world spec: key \"always\" has 8; linear(k=8) has the actions 0 to 7");
  EXPECT_FALSE(make_world("subset(share=0)", 1, 10).ok());
  EXPECT_FALSE(make_world("subset(of=nowhere)", 1, 10).ok());
}

}  // namespace
}  // namespace rein
