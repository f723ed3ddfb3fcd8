// The world `log`: estimates are doubly robust, inside the ranges of the log, and drawn by the seed.
#include <gtest/gtest.h>

#include <cmath>

#include "rein/rng.h"
#include "temp_file.h"
#include "world/log_estimates.h"
#include "world/worlds.h"

namespace rein {
namespace {

// Rewards are 0 or 1 with means that no linear function has; the chance to play b depends on x.
struct Drawn {
  std::string text = "x_x,a,p,r,c_dollars\n";
  double truth_a = 0.0, truth_b = 0.0;  // means of the rewards over the rows
};
Drawn drawn_log(int rows, bool with_p = true) {
  Drawn out;
  Rng rng(11, 3);
  for (int i = 0; i < rows; ++i) {
    const double x = rng.uniform();
    const double b = 0.2 + 0.6 * x;
    const bool played_b = rng.uniform() < b && i > 0;  // so that a is action 0
    const double mean_a = 0.3, mean_b = 0.1 + 0.8 * (x > 0.5 ? 1.0 : 0.0);
    out.truth_a += mean_a / rows;
    out.truth_b += mean_b / rows;
    const int reward = rng.uniform() < (played_b ? mean_b : mean_a) ? 1 : 0;
    const double cost = (played_b ? 0.4 : 0.1) * (0.5 + rng.uniform());
    out.text += fmt::format("{},{},{},{},{}\n", x, played_b ? "b" : "a",
                            with_p ? fmt::format("{}", played_b ? b : 1.0 - b) : "", reward, cost);
  }
  return out;
}

std::string spec_for(const TempFile& file, const std::string& more = "") {
  return fmt::format("log(file=\"{}\"{})", file.path(), more);
}

TEST(LogWorld, MeansOverAllRowsAreTheDoublyRobustEstimates) {
  const Drawn drawn = drawn_log(6000);
  const TempFile file(drawn.text);
  const auto log = load_log_estimates({.file = file.path()}).value();
  ASSERT_EQ(log->rows, 6000);
  EXPECT_EQ(log->shape.reward, (Range{0.0, 1.0}));
  EXPECT_EQ(log->shape.costs[0].range.low, 0.0);
  double sum[2][2] = {};
  double wrong = 0.0;
  for (std::size_t row = 0; row < 6000; ++row) {
    for (std::size_t a = 0; a < 2; ++a) {
      for (std::size_t h = 0; h < 2; ++h) sum[a][h] += log->means[(row * 2 + a) * 2 + h] / 6000.0;
    }
    // Standardised contexts keep their order: the upper half is the half of large x.
    const double truth = 0.1 + 0.8 * (log->context[row] > 0.0 ? 1.0 : 0.0);
    wrong += std::abs(log->means[(row * 2 + 1) * 2] - truth) / 6000.0;
  }
  // 6000 rows with p of at least 0.2: a standard error of about 0.012.
  EXPECT_NEAR(sum[0][0], drawn.truth_a, 0.05);
  EXPECT_NEAR(sum[1][0], drawn.truth_b, 0.05);
  EXPECT_NEAR(sum[0][1], 0.1, 0.01);
  EXPECT_NEAR(sum[1][1], 0.4, 0.02);
  EXPECT_LT(wrong, 0.1) << "the bins correct what the linear regression cannot have (0.17)";
}

TEST(LogWorld, OutcomesWithTwoValuesStayTwoValuesAndHaveTheirMeans) {
  const TempFile file(drawn_log(2000).text);
  double off = 0.0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto world = world_of(spec_for(file), seed, 200);
    for (int t = 0; t < 200; ++t) {
      const Round& round = world->next();
      Outcome outcome;
      world->outcome(t % 2, outcome);
      ASSERT_TRUE(outcome.reward == 0.0 || outcome.reward == 1.0);
      ASSERT_GE(outcome.costs[0], 0.0);
      off += outcome.reward - means_of(*world, round.actions)[static_cast<std::size_t>(t % 2)];
    }
  }
  EXPECT_LT(std::abs(off), 4.5 * std::sqrt(4000 * 0.25));
}

TEST(LogWorld, RowsComeOnceAndAllOfThemWithZeroRounds) {
  const TempFile file(drawn_log(300).text);
  const auto world = make_world(spec_for(file, ",order=file,rate=0.3"), 1, 0).value();
  EXPECT_EQ(world->shape().rounds, 300);
  EXPECT_DOUBLE_EQ(world->shape().budgets[0], 90.0);
  for (int t = 0; t < 300; ++t) world->next();
  EXPECT_THROW(world->next(), Failure);
  EXPECT_FALSE(make_world(spec_for(file), 1, 301).ok());
  EXPECT_TRUE(make_world(spec_for(file, ",repeat=1"), 1, 301).ok());
}

TEST(LogWorld, IncompleteRowsAreLeftOut) {
  Drawn drawn = drawn_log(300);
  drawn.text += "0.5,a,0.5,,0.1\n0.5,b,0.5,1,\n";
  const TempFile file(drawn.text);
  EXPECT_EQ(make_world(spec_for(file), 1, 0).value()->shape().rounds, 300);
}

TEST(LogWorld, OffersAreThoseOfTheLog) {
  std::string text = "x_x,a,p,r,actions\n";
  for (int i = 0; i < 300; ++i) {
    const bool all = i % 3 != 0;
    text += fmt::format("{},{},0.5,{},\"{}\"\n", 0.01 * (i % 100), i % 2 == 0 ? "a" : "b",
                        0.25 * (i % 5),
                        all ? "[\"\"a\"\",\"\"b\"\",\"\"c\"\"]" : "[\"\"a\"\",\"\"b\"\"]");
  }
  const TempFile file(text);
  const std::string found = make_world(spec_for(file), 1, 0).error();
  EXPECT_NE(found.find("action \"c\" was played too seldom"), std::string::npos) << found;
}

TEST(LogWorld, RefusesWhatItCannotEstimate) {
  const TempFile none(drawn_log(300, false).text);
  const std::string found = make_world(spec_for(none), 1, 0).error();
  EXPECT_NE(found.find("it has no propensities"), std::string::npos) << found;
  EXPECT_TRUE(make_world(spec_for(none, ",propensities=estimate"), 1, 0).ok());
  const TempFile few(drawn_log(60).text);
  EXPECT_FALSE(make_world(spec_for(few), 1, 0).ok());
  EXPECT_TRUE(make_world(spec_for(few, ",least=5"), 1, 0).ok());
  EXPECT_FALSE(make_world(std::string_view("log(file=\"no_such_file.csv\")"), 1, 0).ok());
}

}  // namespace
}  // namespace rein
