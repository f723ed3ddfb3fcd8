// pair: each oracle behaves as it would alone; their joint answers; what is refused.
#include "estimate/pair.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimate/optimistic.h"
#include "estimate/play.h"
#include "estimate/variants.h"

namespace rein {
namespace {

Shape rewards_of(Shape shape) {
  shape.costs.clear();
  return shape;
}

Shape costs_of(Shape shape) {
  shape.reward = shape.costs[0].range;
  shape.costs.erase(shape.costs.begin());
  return shape;
}

TEST(Pair, EachIsTheOracleThatItWouldBeAlone) {
  const Shape shape = shape_of(4, 2, 3, true);
  const auto pair = oracle_of("pair(cost=kernel(size=12),reward=vaw(reg=2))", shape);
  const auto reward = oracle_of("vaw(reg=2)", rewards_of(shape));
  const auto cost = oracle_of("kernel(size=12)", costs_of(shape));
  Rounds rounds(shape, false, 3);
  for (int t = 0; t < 60; ++t) {
    const OwnedRound round = rounds.next(t % 2 == 0);
    const Estimates both = predict(*pair, shape, round.view());
    const Estimates f = predict(*reward, rewards_of(shape), round.view());
    const Estimates g = predict(*cost, costs_of(shape), round.view());
    ASSERT_EQ(both.heads(), 3);
    for (int a = 0; a < round.actions; ++a) {
      ASSERT_EQ(both.mean(0)[a], f.mean(0)[a]);
      ASSERT_EQ(both.width()[a], f.width()[a]);
      ASSERT_EQ(both.mean(1)[a], g.mean(0)[a]);
      ASSERT_EQ(both.mean(2)[a], g.mean(1)[a]);
    }
    const std::vector<double> y = rounds.outcomes();
    pair->learn(round.view(), 0, y);
    reward->learn(round.view(), 0, std::span(y).first(1));
    cost->learn(round.view(), 0, std::span(y).subspan(1));
    ASSERT_EQ(pair->regret(), std::max(reward->regret(), cost->regret()));
  }
  EXPECT_EQ(pair->bound(1000), std::max(reward->bound(1000), cost->bound(1000)));
  EXPECT_EQ(pair->dimension(), reward->dimension());
}

// The functions of a shape have the reward first; the cost oracle must not take it for a cost.
TEST(Pair, FunctionsOfTheShapeKeepTheirHeads) {
  const Shape shape = shape_of(4, 2, 3, true);
  for (const char* name : {"truth", "finite"}) {
    const auto pair = oracle_of(std::string("pair(cost=") + name + ",reward=" + name + ")", shape);
    const auto alone = oracle_of(name, shape);
    Rounds rounds(shape, false, 3);
    for (int t = 0; t < 20; ++t) {
      const OwnedRound round = rounds.next();
      const Estimates a = predict(*pair, shape, round.view());
      const Estimates b = predict(*alone, shape, round.view());
      for (int h = 0; h < 3; ++h) {
        for (int i = 0; i < round.actions; ++i) ASSERT_EQ(a.mean(h)[i], b.mean(h)[i]) << name << h;
      }
      const std::vector<double> y = rounds.outcomes();
      pair->learn(round.view(), 1, y);
      alone->learn(round.view(), 1, y);
    }
  }
}

TEST(Pair, WithoutCostsIsTheRewardsOracle) {
  const Shape shape = shape_of(4, 0, 3, false);
  EXPECT_EQ(oracle_of("pair(cost=adagrad,reward=vaw)", shape)->bound(100),
            oracle_of("vaw", shape)->bound(100));
}

TEST(Pair, OptimismGoesAroundIt) {
  const Shape shape = shape_of(4, 0, 3, true);
  const auto made =
      oracle_of("pair(cost=adagrad,reward=optimistic(alpha=0.5,of=vaw(reg=2)))", shape);
  const auto* optimistic = dynamic_cast<const Optimistic*>(made.get());
  ASSERT_NE(optimistic, nullptr);
  EXPECT_NE(dynamic_cast<const OraclePair*>(&optimistic->inside()), nullptr);
  Rounds rounds(shape, false, 3);
  const OwnedRound round = rounds.next();
  const Estimates with = predict(*made, shape, round.view());
  const Estimates without = predict(optimistic->inside(), shape, round.view());
  EXPECT_GT(with.mean(0)[0], without.mean(0)[0]);
  EXPECT_EQ(with.mean(1)[0], without.mean(1)[0]);
}

// If one oracle does not know its regret, neither does the pair.
TEST(Pair, KnowsItsRegretOnlyWhereBothDo) {
  const Shape shape = shape_of(4, 0, 3, true);
  EXPECT_FALSE(std::isnan(oracle_of("pair(cost=adagrad)", shape)->regret()));
  EXPECT_TRUE(std::isnan(oracle_of("pair(cost=stack(of=[optimistic]))", shape)->regret()));
}

// An oracle of the caller's: it is asked about the heads that it was made for, and may throw.
struct Mine final : OwnOracle {
  explicit Mine(int heads_made_for) : heads(heads_made_for) {}
  void predict(const Round&, Estimates& estimates) const override {
    EXPECT_EQ(estimates.heads(), heads);
    for (int h = 0; h < heads; ++h) std::ranges::fill(estimates.mean(h), h + 1.0);
  }
  void learn(const Round&, int, std::span<const double> outcomes) override {
    EXPECT_EQ(static_cast<int>(outcomes.size()), heads);
    throw Failure("no");
  }
  void save(ByteWriter&) const override {}
  Result<> load(ByteReader&) override { return {}; }
  int heads;
};

TEST(Pair, OneOfTheCallersOwnHasItsOwnHeadsAndLearnsFirst) {
  const Own own{.oracles = {{"own", [](const Shape& shape) {
                               return std::make_unique<Mine>(shape.heads());
                             }}}};
  const auto oracle_of = [&](const char* spec, const Shape& shape) {
    return make_oracle(parse_spec(spec).value(), shape, own).value();
  };
  const Shape shape = shape_of(4, 0, 3, true);
  Rounds rounds(shape, false, 3);
  const OwnedRound round = rounds.next();
  const auto costs = oracle_of("pair(cost=own)", shape);
  const Estimates e = predict(*costs, shape, round.view());
  EXPECT_EQ(e.mean(1)[0], 1.0);
  EXPECT_EQ(e.mean(2)[0], 1.0) << "clipped to the range of the second cost";
  EXPECT_TRUE(std::isnan(costs->regret()));
  for (const char* spec : {"pair(cost=own)", "pair(reward=own)"}) {
    const auto pair = oracle_of(spec, shape);
    const std::string before = saved(*pair);
    EXPECT_THROW(pair->learn(round.view(), 0, rounds.outcomes()), Failure);
    EXPECT_EQ(saved(*pair), before) << spec << ": ours has learned nothing";
  }
}

TEST(Pair, Refuses) {
  const Shape shape = shape_of(4, 0, 3, true);
  const auto error = [&](const char* spec) {
    const auto made = make_oracle(parse_spec(spec, "oracle spec").value(), shape);
    return made ? std::string("accepted") : made.error();
  };
  EXPECT_EQ(error("pair(cost=pair)"),
            "oracle spec: a pair inside a pair; accepted: any other oracle for reward and cost");
  EXPECT_EQ(error("pair(cost=optimistic)"),
            "oracle spec: optimism about costs overspends; accepted: cost=ORACLE without it, and "
            "reward=optimistic(of=ORACLE)");
  EXPECT_EQ(error("pair(cost=vow)").substr(0, 38), "oracle spec: unknown name \"vow\" at 10;");
  EXPECT_EQ(error("pair(reward=optimistic(of=adagrad))").substr(0, 46),
            "oracle spec: optimistic needs an oracle with w");
}

}  // namespace
}  // namespace rein
