#include <gtest/gtest.h>

#include "world/worlds.h"

namespace rein {
namespace {

// A world of ours as one of the caller's. With `known` it tells the means.
struct Wrapped final : OwnWorld {
  Wrapped(std::unique_ptr<World> of, bool known) : of_(std::move(of)), known_(known) {}
  const Shape& shape() const override { return of_->shape(); }
  const Round& next() override { return of_->next(); }
  void outcome(int action, Outcome& out) const override { of_->outcome(action, out); }
  bool means(std::span<double> out) const override {
    if (known_) of_->means(out);
    return known_;
  }
  void observe(int action, const Outcome& outcome) override { of_->observe(action, outcome); }
  std::unique_ptr<World> of_;
  bool known_;
};

Own wrapped(bool known) {
  Own own;
  own.worlds["mine"] = [=](std::uint64_t seed, std::int64_t rounds) {
    return std::make_unique<Wrapped>(make_world("linear(k=3,d=2)", seed, rounds).value(), known);
  };
  return own;
}

std::vector<double> trace(const std::string& spec, std::uint64_t seed, const Own& own) {
  const auto world = make_world(spec, seed, 200, own).value();
  return trace_of(*world, 200, [](int t, int actions) { return t % actions; });
}

TEST(OwnWorldTest, IsTheWorldThatWasPassedIn) {
  for (std::uint64_t seed : {1, 2}) {
    EXPECT_EQ(trace("own(name=mine)", seed, wrapped(true)), trace("linear(k=3,d=2)", seed, {}));
  }
  EXPECT_EQ(trace("subset(of=own(name=mine),share=1)", 1, wrapped(true)),
            trace("subset(of=linear(k=3,d=2),share=1)", 1, {}));
  EXPECT_FALSE(make_world("own", 1, 10, wrapped(true)).ok());
}

TEST(OwnWorldTest, WithoutMeansTheOutcomesStandForThem) {
  const auto world = make_world("own(name=mine)", 1, 10, wrapped(false)).value();
  const Round& round = world->next();
  std::vector<double> means(static_cast<std::size_t>(round.actions) * 2);
  world->means(means);
  for (int a = 0; a < round.actions; ++a) {
    Outcome outcome;
    world->outcome(a, outcome);
    EXPECT_EQ(means[static_cast<std::size_t>(a)], outcome.reward);
    EXPECT_EQ(means[static_cast<std::size_t>(round.actions + a)], outcome.costs[0]);
  }
  EXPECT_TRUE(world->adapts());
  EXPECT_FALSE(world->iid());
}

TEST(OwnWorldTest, ANameThatWasNotBroughtSaysWhatItIs) {
  EXPECT_EQ(make_world("own", 1, 10).error(),
            "world spec: own(name=\"own\") is a piece that the caller brings, and none was brought "
            "under this name; see docs/own.md");
}

TEST(OwnWorldTest, AShapeThatIsNoneIsRefused) {
  struct Empty final : OwnWorld {
    const Shape& shape() const override { return shape_; }
    const Round& next() override { return round_; }
    void outcome(int, Outcome&) const override {}
    Shape shape_;
    Round round_;
  };
  Own own;
  own.worlds["own"] = [](std::uint64_t, std::int64_t) { return std::make_unique<Empty>(); };
  EXPECT_FALSE(make_world("own", 1, 10, own).ok());
}

}  // namespace
}  // namespace rein
