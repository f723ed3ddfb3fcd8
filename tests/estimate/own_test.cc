#include "estimate/own.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimate/play.h"

namespace rein {
namespace {

// Predicts the same for every action; a test changes the value. Counts what it learns.
struct Fixed final : OwnOracle {
  explicit Fixed(const double* said, double width = 0.0) : said_(said), width_(width) {}
  void predict(const Round&, Estimates& estimates) const override {
    for (int h = 0; h < estimates.heads(); ++h) std::ranges::fill(estimates.mean(h), *said_);
    if (width_ != 0.0) std::ranges::fill(estimates.width(), width_);
  }
  void learn(const Round&, int, std::span<const double>) override { ++learned_; }
  void save(ByteWriter& out) const override { out.i64(learned_); }
  Result<> load(ByteReader& in) override {
    learned_ = in.i64();
    if (learned_ < 0) return Error{"learned less than nothing", Reason::kSequence};
    return in.status();
  }
  const double* said_;
  double width_;  // 0: it writes no widths
  std::int64_t learned_ = 0;
};

const Shape kOwnShape{.actions = 3, .context = 1, .costs = {{.name = "c", .range = {0.0, 5.0}}}};
const double kX = 0.5;
const Round kRound{.actions = 3, .context = {&kX, 1}};

Own own(const double* said, double width = 0.0, const char* name = "own") {
  return {.oracles = {{name, [=](const Shape&) { return std::make_unique<Fixed>(said, width); }}}};
}

Result<std::unique_ptr<Oracle>> made(const char* spec, const Own& brought = {}) {
  return make_oracle(parse_spec(spec).value(), kOwnShape, brought);
}

Estimates estimates_of(const Oracle& oracle) {
  Scratch scratch;
  Estimates estimates;
  estimates.prepare(2, 3);
  std::ranges::fill(estimates.width(), 0.5);  // left over from another round
  oracle.predict(kRound, scratch, estimates);
  return estimates;
}

double estimate(const Oracle& oracle, int head) { return estimates_of(oracle).mean(head)[2]; }

TEST(OwnTest, IsFoundByItsNameAmongThosePassedIn) {
  const double said = 0.25;
  const auto oracle = made("own(name=mine)", own(&said, 0.0, "mine")).value();
  EXPECT_EQ(estimate(*oracle, 0), 0.25);
  EXPECT_FALSE(made("own", own(&said, 0.0, "mine")).ok());
  EXPECT_FALSE(made("own(nam=own)", own(&said)).ok());
  EXPECT_EQ(
      made("own(name=mine)").error(),
      "oracle spec: own(name=\"mine\") is a piece that the caller brings, and none was brought "
      "under this name; see docs/own.md");
}

// Two callers may use the same name for different pieces.
TEST(OwnTest, NothingIsShared) {
  const double a = 0.25, b = 0.5;
  const auto one = made("own", own(&a)).value(), two = made("own", own(&b)).value();
  EXPECT_EQ(estimate(*one, 0), 0.25);
  EXPECT_EQ(estimate(*two, 0), 0.5);
}

TEST(OwnTest, IsHeldToWhatAnOraclePromises) {
  double said = 99.0;
  const auto oracle = made("own", own(&said)).value();
  EXPECT_EQ(estimate(*oracle, 0), 1.0);
  EXPECT_EQ(estimate(*oracle, 1), 5.0);
  EXPECT_EQ(oracle->bound(10), 40.0);
  EXPECT_TRUE(std::isnan(oracle->regret()));
  said = NAN;
  EXPECT_THROW(estimate(*oracle, 0), Failure);
}

TEST(OwnTest, SavesWhatItLearned) {
  const double said = 0.25;
  const auto oracle = made("own", own(&said)).value();
  const std::string fresh = saved(*oracle);
  const double outcomes[] = {0.5, 1.0};
  for (int t = 0; t < 3; ++t) oracle->learn(kRound, 0, outcomes);
  EXPECT_NE(saved(*oracle), fresh);
  const auto other = made("own", own(&said)).value();
  const std::string bytes = saved(*oracle);
  ByteReader in(bytes);
  ASSERT_TRUE(other->load(in).ok());
  EXPECT_EQ(saved(*other), bytes);
}

TEST(OwnTest, ARefusedLoadKeepsItsReason) {
  const double said = 0.25;
  const auto oracle = made("own", own(&said)).value();
  ByteWriter inside, out;
  inside.i64(-1);
  out.state("own 2", Known{"heads", 2});
  out.text(inside.bytes());
  ByteReader in(out.bytes());
  const Result<> loaded = oracle->load(in);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error(), "learned less than nothing");
  EXPECT_EQ(loaded.reason(), Reason::kSequence);
}

// Before version 2 nothing of the caller's was saved.
TEST(OwnTest, StateOfAnotherVersionIsRefusedAndNamesBoth) {
  const double said = 0.25;
  const auto oracle = made("own", own(&said)).value();
  ByteWriter out;
  out.state("own", Known{"heads", 2});
  ByteReader in(out.bytes());
  EXPECT_EQ(oracle->load(in).error(), "saved state is of \"own\", expected \"own 2\"");
}

TEST(OwnTest, HasNoWidthsUnlessItSaysSo) {
  const double said = 0.25;
  EXPECT_EQ(estimates_of(*made("own", own(&said)).value()).width()[2], 0.0);
  EXPECT_EQ(estimates_of(*made("own", own(&said, 0.75)).value()).width()[2], 0.75);
  EXPECT_THROW(estimates_of(*made("own", own(&said, NAN)).value()), Failure);
}

TEST(OwnTest, AMakerThatRefusesIsHeard) {
  Own refusing;
  refusing.oracles["own"] = [](const Shape& shape) -> Result<std::unique_ptr<OwnOracle>> {
    return Error{"not for " + std::to_string(shape.heads()) + " heads", Reason::kFailed};
  };
  for (const char* spec : {"own", "stack(of=[vaw,own])", "pair(reward=own)", "forest(base=own)"}) {
    const auto refused = made(spec, refusing);
    ASSERT_FALSE(refused.ok()) << spec;
    EXPECT_EQ(refused.error().substr(0, 7), "not for") << spec;
    EXPECT_EQ(refused.reason(), Reason::kFailed) << spec;
  }
  refusing.oracles["own"] = nullptr;
  EXPECT_FALSE(made("own", refusing).ok());
}

}  // namespace
}  // namespace rein
