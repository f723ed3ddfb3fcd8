#include "estimate/own.h"

#include <gtest/gtest.h>

#include <cmath>

#include "estimate/play.h"
#include "rein/own_oracle.h"

namespace rein {
namespace {

// Predicts the same for every action; a test changes the value.
struct Fixed final : Oracle {
  explicit Fixed(const double* said) : said_(said) {}
  void predict(const Round&, Scratch&, Estimates& estimates) const override {
    for (int h = 0; h < estimates.heads(); ++h) std::ranges::fill(estimates.mean(h), *said_);
    if (width_ != 0.0) std::ranges::fill(estimates.width(), width_);
  }
  std::size_t scratch() const override { return 0; }
  void learn(const Round&, int, std::span<const double>) override {}
  double bound(std::int64_t) const override { return NAN; }
  double regret() const override { return 7.0; }
  void save(ByteWriter&) const override {}
  Result<> load(ByteReader&) override { return {}; }
  const double* said_;
  double width_ = 0.0;  // 0: it writes no widths
};

const Shape kShape{.actions = 3, .context = 1, .costs = {{.name = "c", .range = {0.0, 5.0}}}};

Result<std::unique_ptr<Oracle>> made(const char* spec) {
  return make_oracle(parse_spec(spec).value(), kShape);
}

Estimates estimates_of(const Oracle& oracle) {
  const double x = 0.5;
  Scratch scratch;
  Estimates estimates;
  estimates.prepare(2, 3);
  std::ranges::fill(estimates.width(), 0.5);  // left over from another round
  oracle.predict({.actions = 3, .context = {&x, 1}}, scratch, estimates);
  return estimates;
}

double estimate(const Oracle& oracle, int head) { return estimates_of(oracle).mean(head)[2]; }

TEST(OwnTest, IsKnownByItsNameWhileTheLoanLives) {
  double said = 0.25;
  std::unique_ptr<Oracle> oracle;
  {
    const Loan loan = lend_oracle("mine", [&](const Shape&) -> Result<std::unique_ptr<Oracle>> {
                        return std::make_unique<Fixed>(&said);
                      }).value();
    oracle = made("own(name=mine)").value();
    EXPECT_FALSE(made("own").ok());
    EXPECT_FALSE(lend_oracle("mine", [](const Shape&) -> Result<std::unique_ptr<Oracle>> {
                   return Error{"no"};
                 }).ok());
  }
  EXPECT_EQ(
      made("own(name=mine)").error(),
      "oracle spec: own(name=\"mine\") is a piece that the caller brings, and none was brought "
      "under this name; see docs/own.md");
  EXPECT_EQ(estimate(*oracle, 0), 0.25);  // still works
}

TEST(OwnTest, IsHeldToWhatAnOraclePromises) {
  double said = 99.0;
  const Loan loan = lend_oracle("own", [&](const Shape&) -> Result<std::unique_ptr<Oracle>> {
                      return std::make_unique<Fixed>(&said);
                    }).value();
  const auto oracle = made("own").value();
  EXPECT_EQ(estimate(*oracle, 0), 1.0);
  EXPECT_EQ(estimate(*oracle, 1), 5.0);
  EXPECT_EQ(oracle->bound(10), 40.0);
  EXPECT_TRUE(std::isnan(oracle->regret()));
  said = NAN;
  EXPECT_THROW(estimate(*oracle, 0), Failure);
  ByteWriter out;
  oracle->save(out);
  ByteReader in(out.bytes());
  EXPECT_TRUE(oracle->load(in).ok());
}

TEST(OwnTest, HasNoWidthsUnlessItSaysSo) {
  const double said = 0.25;
  double width = 0.0;
  const Loan loan = lend_oracle("own", [&](const Shape&) -> Result<std::unique_ptr<Oracle>> {
                      auto fixed = std::make_unique<Fixed>(&said);
                      fixed->width_ = width;
                      return fixed;
                    }).value();
  EXPECT_EQ(estimates_of(*made("own").value()).width()[2], 0.0);
  width = 0.75;
  EXPECT_EQ(estimates_of(*made("own").value()).width()[2], 0.75);
  width = NAN;
  EXPECT_THROW(estimates_of(*made("own").value()), Failure);
}

TEST(OwnTest, AMakerThatRefusesIsHeard) {
  const Loan loan = lend_oracle("own", [](const Shape& shape) -> Result<std::unique_ptr<Oracle>> {
                      return Error{"not for " + std::to_string(shape.heads()) + " heads"};
                    }).value();
  EXPECT_EQ(made("own").error(), "not for 2 heads");
  EXPECT_FALSE(made("own(nam=own)").ok());
  EXPECT_FALSE(lend_oracle("", nullptr).ok());
}

}  // namespace
}  // namespace rein
