// A policy of the caller's own: passed in by name, checked, counted and saved by the library.
#include <gtest/gtest.h>

#include <algorithm>

#include "policy/play.h"

namespace rein {
namespace {

const Shape kOwnPolicyShape{
    .actions = 3, .context = 2, .costs = {{"dollars", {0.0, 2.0}}}, .rounds = 200};

// Plays the action that earned most so far with probability 0.7, and the last one if more than
// `limit` is spent.
struct Best final : OwnPolicy {
  explicit Best(const Shape& shape, double most = 1e9)
      : limit(most), sums(static_cast<std::size_t>(shape.actions)) {}
  void choose(const Round& round, const Costs& spent, std::span<double> p) const override {
    if (spent[0] > limit) {
      p.back() = 1.0;
      return;
    }
    int best = 0;
    for (int a = 1; a < round.actions; ++a) {
      if (sums[round.id(a)] > sums[round.id(best)]) best = a;
    }
    for (double& one : p) one = 0.3 / static_cast<double>(p.size());
    p[best] += 0.7;
  }
  void learn(const Round& round, int action, double probability, const Outcome& outcome) override {
    EXPECT_GT(probability, 0.0);
    if (outcome.reward == refused) throw std::runtime_error("out of order");
    sums[round.id(action)] += outcome.reward;
  }
  void save(ByteWriter& out) const override { out.parts(sums); }
  Result<> load(ByteReader& in) override {
    in.parts(sums);
    return in.status();
  }
  double limit;
  std::vector<double> sums;
  static constexpr double refused = 0.123;
};

Own best(double limit = 1e9) {
  Own own;
  own.policies["best"] = [=](const Shape& shape) { return std::make_unique<Best>(shape, limit); };
  return own;
}

TEST(OwnPolicy, DecidesLearnsAndIsCounted) {
  const auto policy = make_policy("own(name=best)", kOwnPolicyShape, best()).value();
  Rng rng(1);
  Scratch scratch(*policy);
  Decision d(*policy);
  double spent = 0.0;
  for (int t = 0; t < 50; ++t) {
    const OwnedRound round = round_of(kOwnPolicyShape, t);
    policy->decide(round.view(), rng, scratch, d).check();
    const Outcome outcome = outcome_of(kOwnPolicyShape, round.view(), d.action, t);
    policy->learn(round.view(), d, outcome).check();
    spent += outcome.costs[0];
  }
  EXPECT_EQ(policy->state().rounds, 50);
  EXPECT_NEAR(policy->state().spent[0], spent, 1e-9);
  EXPECT_FALSE(policy->state().theorem.has_value());
}

TEST(OwnPolicy, SeesWhatIsSpentAndReserved) {
  const auto policy = make_policy("own(name=best)", kOwnPolicyShape, best(5.0)).value();
  Rng rng(1);
  Scratch scratch(*policy);
  Decision d(*policy);
  const OwnedRound round = round_of(kOwnPolicyShape, 0);
  policy->decide(round.view(), std::vector<double>{4.0}, rng, scratch, d).check();
  EXPECT_LT(d.probabilities().back(), 1.0);
  policy->learn(round.view(), d, {.reward = 0.5, .costs = {1.5}}).check();
  policy->decide(round.view(), std::vector<double>{4.0}, rng, scratch, d).check();
  EXPECT_EQ(d.probabilities().back(), 1.0);
}

TEST(OwnPolicy, SavesAndContinuesWithTheSameBits) {
  const auto one = make_policy("own(name=best)", kOwnPolicyShape, best()).value();
  Rng rng(1);
  Scratch scratch(*one);
  Decision d(*one);
  for (int t = 0; t < 20; ++t) {
    const OwnedRound round = round_of(kOwnPolicyShape, t);
    one->decide(round.view(), rng, scratch, d).check();
    one->learn(round.view(), d, outcome_of(kOwnPolicyShape, round.view(), d.action, t)).check();
  }
  const auto two = make_policy("own(name=best)", kOwnPolicyShape, best()).value();
  ASSERT_TRUE(two->load(one->save()).ok());
  EXPECT_EQ(two->save(), one->save());
  // A learn() that throws counts nothing.
  const std::string before = one->save();
  const OwnedRound round = round_of(kOwnPolicyShape, 20);
  one->decide(round.view(), rng, scratch, d).check();
  EXPECT_THROW(one->learn(round.view(), d, {.reward = Best::refused, .costs = {1.0}}).check(),
               std::runtime_error);
  EXPECT_EQ(one->save(), before);
}

TEST(OwnPolicy, WhatIsNoDistributionIsRefused) {
  struct Wrong final : OwnPolicy {
    explicit Wrong(double first) : first_(first) {}
    void choose(const Round&, const Costs&, std::span<double> p) const override { p[0] = first_; }
    void learn(const Round&, int, double, const Outcome&) override {}
    void save(ByteWriter&) const override {}
    Result<> load(ByteReader&) override { return {}; }
    double first_;
  };
  for (double first : {0.5, -1.0, 2.0, std::nan("")}) {
    Own own;
    own.policies["own"] = [=](const Shape&) { return std::make_unique<Wrong>(first); };
    const auto policy = make_policy("own", kOwnPolicyShape, own).value();
    Rng rng(1);
    Scratch scratch(*policy);
    Decision d(*policy);
    const OwnedRound round = round_of(kOwnPolicyShape, 0);
    EXPECT_THROW(policy->decide(round.view(), rng, scratch, d).check(), Failure) << first;
    EXPECT_EQ(rng.counter(), 0U);
  }
}

TEST(OwnPolicy, GoesIntoAStop) {
  const auto policy =
      make_policy("stop(at=3,null=0,of=own(name=best))", kOwnPolicyShape, best()).value();
  EXPECT_EQ(policy->shape().budgets, std::vector<double>{3.0});
}

// Each kind of piece is known by the place of `own` in the spec.
TEST(Own, APieceThatNobodyUsesIsRefused) {
  const Own policy = best();
  for (const char* spec : {"ccb", "own(name=other)", "ccb(oracle=own(name=best))"}) {
    const auto made = make_policy(spec, kOwnPolicyShape, policy);
    ASSERT_FALSE(made.ok()) << spec;
    EXPECT_NE(made.error().find("policy \"best\" was brought"), std::string::npos) << made.error();
  }
  Own world;
  world.worlds["best"] = nullptr;
  const auto made = make_policy("own(name=best)", kOwnPolicyShape, world);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().find("world \"best\" was brought"), std::string::npos) << made.error();
}

}  // namespace
}  // namespace rein
