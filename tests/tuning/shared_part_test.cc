// What actions have in common: which estimates are moved, and how far.
#include "tuning/shared_part.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "rein/bytes.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr int kFour = 4;
const Shape kTogether{
    .actions = kFour, .context = 3, .reward = {0.0, 1.0}, .costs = {{"dollars", {0.0, 2.0}}}};

const Prior kUntold(kTogether, {1.0, 2.0}, Costs(1), {});

// A round whose context is a function of t.
struct AskedAt {
  explicit AskedAt(int t, double scale = 1.0) {
    Rng rng(3, static_cast<std::uint64_t>(t));
    for (double& number : x) number = scale * (2.0 * rng.uniform() - 1.0);
    round = {.actions = kFour, .context = x};
  }
  std::array<double, 3> x;
  Round round;
  double mean() const { return 0.5 + 0.3 * x[0]; }
};

Estimates said_of(double reward, double cost) {
  Estimates said;
  said.prepare(2, kFour);
  for (int a = 0; a < kFour; ++a) {
    said.mean(0)[a] = reward;
    said.mean(1)[a] = cost;
  }
  return said;
}

SharedPart shared_part() {
  SharedPart part(kTogether, {1.0, 2.0});
  part.set_share(1.0);
  return part;
}

// Plays of actions 0 to 2 in turn, which earn by the context and cost 0.4. Each alone was predicted
// to earn its reward plus `error` and to cost `cost`.
void teach(SharedPart& part, int times, double error, double cost, int first = 0) {
  for (int t = first; t < first + times; ++t) {
    const AskedAt asked(t);
    const std::array outcome{asked.mean(), 0.2};
    const std::array alone{asked.mean() + error, cost / 2.0};
    part.learn(asked.round, t % 3, outcome, alone, kUntold);
  }
}

TEST(SharedPart, AnActionWithFewPlaysTakesWhatAllKnow) {
  SharedPart part = shared_part();
  teach(part, 11, 0.5, 1.5);
  Estimates said = said_of(0.0, 1.5);
  const AskedAt asked(1000);
  part.apply(asked.round, said, kUntold);
  EXPECT_GT(part.odds(0), 0.99);
  EXPECT_GT(part.odds(1), 0.99);
  EXPECT_NEAR(said.mean(0)[0], asked.mean(), 0.05);
  EXPECT_NEAR(said.mean(1)[0], 0.4, 0.02);
  EXPECT_NEAR(said.mean(0)[3], asked.mean(), 0.05);  // was never played:
  EXPECT_EQ(said.mean(1)[3], 1.5);                   // the prior knows its rules for costs
}

// Declared costs of 0.6 for all, with the weight of two plays.
TEST(SharedPart, DeclaredCostsTakeThePlaceOfThePooledOnes) {
  const Prior told(kTogether, {1.0, 2.0}, Costs(1), {.declared = {0.6, 0.6, 0.6, 0.6}, .weight = 2.0});
  SharedPart part = shared_part();
  Prior prior = told;
  for (int t = 0; t < 12; ++t) {
    const AskedAt asked(t);
    part.learn(asked.round, t % 3, std::array{asked.mean(), 0.2}, std::array{asked.mean() + 0.5, 0.75},
               prior);
    prior.learn(asked.round, t % 3, asked.mean(), Costs{0.2});
  }
  Estimates said = said_of(0.0, 1.5);
  const AskedAt asked(1000);
  part.apply(asked.round, said, prior);
  EXPECT_NEAR(said.mean(0)[0], asked.mean(), 0.05);
  EXPECT_NEAR(said.mean(1)[0], (4 * 0.4 + 2 * 0.6) / 6, 0.01);  // four plays at 0.4
}

TEST(SharedPart, ActionsThatPredictWellAloneAreLeftAlone) {
  SharedPart part = shared_part();
  teach(part, 11, 1e-3, 0.4001);
  EXPECT_LT(part.odds(0), 0.01);
  // Costs are the same in every play, so the mean of the action is as good.
  teach(part, 1, 1e-3, 0.4, 11);
  Estimates said = said_of(0.9, 0.4);
  part.apply(AskedAt(1000).round, said, kUntold);
  EXPECT_NEAR(said.mean(0)[1], 0.9, 0.01);
}

TEST(SharedPart, EvidenceCountsPerHead) {
  SharedPart part = shared_part();
  teach(part, 11, 1e-3, 1.5);
  EXPECT_LT(part.odds(0), 0.01);
  EXPECT_GT(part.odds(1), 0.99);
}

TEST(SharedPart, AnActionThatKnowsItselfIsLeftAlone) {
  SharedPart part = shared_part();
  for (int t = 0; t < 8; ++t) {  // two plays per feature, the constant included
    const AskedAt asked(t);
    ASSERT_TRUE(part.teaches(0, false));
    part.learn(asked.round, 0, std::array{asked.mean(), 0.2}, std::array{0.0, 1.0}, kUntold);
  }
  EXPECT_FALSE(part.teaches(0, false));
  EXPECT_FALSE(part.moves(0));
  EXPECT_TRUE(part.moves(1));
}

TEST(SharedPart, ANullActionNeitherTeachesNorIsMoved) {
  SharedPart part = shared_part(), without = shared_part();
  const std::array nothing{0.0, 0.0};
  part.learn(AskedAt(50).round, 3, nothing, nothing, kUntold);
  teach(part, 9, 0.5, 1.5);
  teach(without, 9, 0.5, 1.5);
  EXPECT_FALSE(part.teaches(3, true));
  EXPECT_FALSE(part.moves(3));
  Estimates said = said_of(0.1, 0.1), other = said_of(0.1, 0.1);
  const AskedAt asked(1000);
  part.apply(asked.round, said, kUntold);
  without.apply(asked.round, other, kUntold);
  EXPECT_EQ(said.mean(0)[3], 0.1);
  EXPECT_EQ(said.mean(0)[0], other.mean(0)[0]);
  // One play with an outcome, and it is an action like the others.
  ASSERT_TRUE(part.teaches(3, false));
  part.learn(asked.round, 3, std::array{0.5, 0.2}, std::array{0.0, 0.1}, kUntold);
  EXPECT_TRUE(part.moves(3));
}

TEST(SharedPart, WithShareZeroNothingIsMoved) {
  SharedPart part = shared_part();
  teach(part, 11, 0.5, 1.5);
  part.set_share(0.0);
  Estimates said = said_of(0.1, 1.5);
  part.apply(AskedAt(1000).round, said, kUntold);
  EXPECT_EQ(said.mean(0)[0], 0.1);
  EXPECT_EQ(said.mean(1)[0], 1.5);
}

// Plays from before s was set count.
TEST(SharedPart, IsFittedWhenItBecomesActive) {
  SharedPart part(kTogether, {1.0, 2.0});
  teach(part, 11, 0.5, 1.5);
  EXPECT_FALSE(part.moves(0));
  part.set_share(1.0);
  Estimates said = said_of(0.5, 0.4);
  const AskedAt asked(1000);
  part.apply(asked.round, said, kUntold);
  const double moved = (said.mean(0)[0] - 0.5) / (asked.mean() - 0.5);
  EXPECT_NEAR(moved, part.odds(0), 0.1);
  EXPECT_NEAR(part.odds(0), 0.95, 0.01);  // nothing was judged yet
}

TEST(SharedPart, NumbersWhoseSquaresOverflowAreLeftOut) {
  SharedPart part = shared_part();
  teach(part, 6, 0.5, 1.5);
  const AskedAt huge(60, 1e300);
  part.learn(huge.round, 0, std::array{0.5, 0.2}, std::array{0.0, 0.1}, kUntold);
  Estimates said = said_of(0.1, 1.5);
  part.apply(huge.round, said, kUntold);
  EXPECT_EQ(said.mean(0)[0], 0.1);
  const AskedAt usual(61);
  part.apply(usual.round, said, kUntold);
  EXPECT_NEAR(said.mean(0)[0], usual.mean(), 0.1);
}

TEST(SharedPart, GoesOnFromWhatWasSaved) {
  SharedPart first = shared_part(), second(kTogether, {1.0, 2.0});
  teach(first, 7, 0.5, 1.5);
  ByteWriter out;
  first.save(out);
  ByteReader in(out.bytes());
  second.load(in);
  ASSERT_TRUE(in.finish());
  teach(first, 3, 0.5, 1.5, 7);
  teach(second, 3, 0.5, 1.5, 7);
  Estimates said = said_of(0.1, 1.5), other = said;
  first.apply(AskedAt(1000).round, said, kUntold);
  second.apply(AskedAt(1000).round, other, kUntold);
  EXPECT_EQ(said.mean(0)[2], other.mean(0)[2]);
  EXPECT_EQ(said.mean(1)[2], other.mean(1)[2]);
}

TEST(SharedPart, FitsContextsOfModerateSize) {
  Shape shape = kTogether;
  EXPECT_TRUE(SharedPart::fits(shape));
  shape.context = 255;
  EXPECT_TRUE(SharedPart::fits(shape));
  shape.context = 256;
  EXPECT_FALSE(SharedPart::fits(shape));
  shape.context = 0;
  EXPECT_FALSE(SharedPart::fits(shape));
  shape = kTogether;
  shape.features = 2;  // actions share their parameters as it is
  EXPECT_FALSE(SharedPart::fits(shape));
}

}  // namespace
}  // namespace rein
