// stack: its weights, its guarantee against every member, its regret, and what it refuses.
#include "estimate/stack.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "estimate/play.h"
#include "estimate/variants.h"

namespace rein {
namespace {

// Members that learn nothing: constants, in the units of the shape.
class Constant final : public Oracle {
 public:
  Constant(double value, double regret, double width)
      : value_(value), regret_(regret), width_(width) {}
  void predict(const Round&, Scratch&, Estimates& e) const override {
    for (int h = 0; h < e.heads(); ++h) {
      for (double& mean : e.mean(h)) mean = value_;
    }
    for (double& width : e.width()) width = width_;
  }
  std::size_t scratch() const override { return 0; }
  void learn(const Round&, int, std::span<const double>) override {}
  double bound(std::int64_t) const override { return 5.0; }
  double regret() const override { return regret_; }
  int dimension() const override { return width_ > 0.0 ? 3 : 0; }
  void save(ByteWriter&) const override {}
  Result<> load(ByteReader&) override { return {}; }

 private:
  double value_, regret_, width_;
};

struct StackCase {
  Shape shape{.actions = 2, .features = 1};
  std::vector<double> features{0.5, 0.25};
  std::unique_ptr<Stack> stack;

  explicit StackCase(const std::vector<Constant>& members) {
    std::vector<std::unique_ptr<Oracle>> all;
    for (const Constant& member : members) all.push_back(std::make_unique<Constant>(member));
    stack = std::make_unique<Stack>(std::move(all), shape);
  }
  Round round() const { return {.actions = 2, .features = features}; }
  void learn(double y) { stack->learn(round(), 0, {&y, 1}); }
};

TEST(Stack, WeightsAreExponentialInTheLossesOfTheMembers) {
  StackCase c({{0.5, 1.0, 0.0}, {-0.5, 1.0, 0.0}, {0.0, 1.0, 0.0}});
  double losses[3] = {};
  const double values[3] = {0.5, -0.5, 0.0};
  for (int t = 0; t < 40; ++t) {
    double total = 0.0, mean = 0.0;
    for (double loss : losses) total += std::exp(-loss / 8.0);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(c.stack->weight(i, 0), std::exp(-losses[i] / 8.0) / total, 1e-12);
      mean += std::exp(-losses[i] / 8.0) / total * values[i];
    }
    EXPECT_NEAR(predict(*c.stack, c.shape, c.round()).mean(0)[1], mean, 1e-12);
    const double y = t % 3 == 0 ? -1.0 : 1.0;
    c.learn(y);
    for (int i = 0; i < 3; ++i) losses[i] += (values[i] - y) * (values[i] - y);
  }
}

TEST(Stack, WeightsSurviveLossesThatNoExponentialCouldHold) {
  StackCase c({{1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}});
  for (int t = 0; t < 20'000; ++t) c.learn(1.0);
  EXPECT_EQ(c.stack->weight(0, 0), 1.0);
  EXPECT_EQ(c.stack->weight(1, 0), 0.0);
  for (int t = 0; t < 20'010; ++t) c.learn(-1.0);
  EXPECT_GT(c.stack->weight(1, 0), 0.9) << "what was lost is not forgotten, but outweighed";
}

// Against every member and for any outcomes. Here they are adversarial to the stack's prediction.
TEST(Stack, LossIsWithinEightLogNOfTheBestMember) {
  const Shape shape{.actions = 2, .features = 3};
  const std::vector<std::string> members{"vaw", "vaw(reg=100)", "kernel(size=16)", "adagrad"};
  const auto stack = oracle_of(fmt::format("stack(of=[{}])", fmt::join(members, ",")), shape);
  std::vector<std::unique_ptr<Oracle>> alone;
  for (const std::string& member : members) alone.push_back(oracle_of(member, shape));
  std::vector<double> losses(members.size());
  double loss = 0.0;
  Rounds rounds(shape, false, 8);
  for (int t = 0; t < 2000; ++t) {
    const OwnedRound round = rounds.next();
    const double p = predict(*stack, shape, round.view()).mean(0)[t % 2];
    const double y = t % 700 < 300 ? (p > 0.0 ? -1.0 : 1.0) : round.features[0] > 0.0 ? 1.0 : -1.0;
    loss += (p - y) * (p - y);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      const double own = predict(*alone[i], shape, round.view()).mean(0)[t % 2];
      losses[i] += (own - y) * (own - y);
      alone[i]->learn(round.view(), t % 2, {&y, 1});
      ASSERT_LE(loss, losses[i] + 8.0 * std::log(4.0) + 1e-9) << members[i] << " at " << t;
    }
    stack->learn(round.view(), t % 2, {&y, 1});
  }
}

TEST(Stack, RegretIsThatOfTheBestMemberAndWhatWasLostMore) {
  StackCase c({{0.5, 7.0, 0.0}, {-0.5, 3.0, 0.0}});
  double loss = 0.0, best = 0.0;
  for (int t = 0; t < 30; ++t) {
    const double p = predict(*c.stack, c.shape, c.round()).mean(0)[0];
    loss += (p - 1.0) * (p - 1.0);
    best += 0.25;
    c.learn(1.0);
    ASSERT_NEAR(c.stack->regret(), 7.0 + loss - best, 1e-12);
  }
}

// The class of the leading member need not be the one that contains the truth.
TEST(Stack, RegretIsACertificateWhicheverMemberIsRight) {
  StackCase c({{0.5, 3.0, 0.0}, {0.4, 9.0, 0.0}});
  double loss = 0.0;
  for (int t = 1; t <= 80; ++t) {
    const double p = predict(*c.stack, c.shape, c.round()).mean(0)[0];
    loss += (p - 1.0) * (p - 1.0);
    c.learn(1.0);
    ASSERT_NEAR(c.stack->regret(), std::max(3.0 + loss - 0.25 * t, 9.0 + loss - 0.36 * t), 1e-9);
  }
}

TEST(Stack, MembersThatCannotKnowTheirRegretAreLeftOut) {
  const double unknown = std::nan("");
  StackCase some({{0.5, unknown, 0.0}, {-0.5, 3.0, 0.0}});
  some.learn(1.0);
  EXPECT_NEAR(some.stack->regret(), 3.0 + 1.0 - 2.25, 1e-12);
  StackCase none({{0.5, unknown, 0.0}});
  none.learn(1.0);
  EXPECT_TRUE(std::isnan(none.stack->regret()));
}

TEST(Stack, WidthsAreTheMeanOfThoseThatHaveThemByWeight) {
  StackCase c({{1.0, 1.0, 0.2}, {0.0, 1.0, 0.0}, {-1.0, 1.0, 0.8}});
  EXPECT_NEAR(predict(*c.stack, c.shape, c.round()).width()[0], 0.5, 1e-12);
  c.learn(1.0);
  const double a = c.stack->weight(0, 0), b = c.stack->weight(2, 0);
  EXPECT_NEAR(predict(*c.stack, c.shape, c.round()).width()[0], (0.2 * a + 0.8 * b) / (a + b),
              1e-12);
  EXPECT_EQ(c.stack->dimension(), 3);
  // The member without widths is right, and the weights of the others vanish.
  StackCase faint({{1.0, 1.0, 0.2}, {0.0, 1.0, 0.0}, {-1.0, 1.0, 0.8}});
  for (int t = 0; t < 1000; ++t) faint.learn(0.0);
  EXPECT_NEAR(predict(*faint.stack, faint.shape, faint.round()).width()[0], 0.5, 1e-12);
}

TEST(Stack, BoundIsTheLeastOfTheMembersAndEightLogN) {
  const Shape shape{.actions = 2, .features = 3};
  const double vaw = oracle_of("vaw", shape)->bound(1000);
  EXPECT_NEAR(oracle_of("stack", shape)->bound(1000), vaw + 8.0 * std::log(2.0), 1e-9);
  EXPECT_NEAR(oracle_of("stack(of=vaw)", shape)->bound(1000), vaw, 1e-9);
}

TEST(Stack, OfOneIsThatOne) {
  const Shape shape = shape_of(3, 2, 2, true);
  const auto stack = oracle_of("stack(of=[stack(of=vaw)])", shape), vaw = oracle_of("vaw", shape);
  Rounds rounds(shape, true, 4);
  for (int t = 0; t < 30; ++t) {
    const OwnedRound round = rounds.next(t % 2 == 0);
    const Estimates a = predict(*stack, shape, round.view());
    const Estimates b = predict(*vaw, shape, round.view());
    for (int i = 0; i < round.actions; ++i) {
      ASSERT_EQ(a.mean(1)[i], b.mean(1)[i]);
      ASSERT_EQ(a.width()[i], b.width()[i]);
    }
    const auto y = rounds.outcomes();
    stack->learn(round.view(), 0, y);
    vaw->learn(round.view(), 0, y);
  }
}

TEST(Stack, RefusesWhatIsNoListOfOracles) {
  const Shape shape{.actions = 2, .features = 3};
  const auto error = [&](const std::string& spec) {
    const auto made = make_oracle(parse_spec(spec, "oracle spec").value(), shape);
    return made ? std::string("accepted") : made.error();
  };
  EXPECT_EQ(error("stack(of=[])"),
            "oracle spec: key \"of\" has [] at 9; accepted: a list of 1 to 16 oracles");
  EXPECT_EQ(error("stack(of=[vaw,3])"),
            "oracle spec: key \"of\" has [vaw,3] at 9; accepted: a list of 1 to 16 oracles");
  EXPECT_EQ(error("stack(of=[vaw,vow])").substr(0, 48),
            "oracle spec: unknown name \"vow\" at 14; accepted:");
  std::string many = "vaw";
  for (int i = 0; i < 16; ++i) many += ",vaw";
  EXPECT_NE(error("stack(of=[" + many + "])"), "accepted");
  EXPECT_EQ(error("optimistic(of=stack)"), "accepted");
}

}  // namespace
}  // namespace rein
