// auto: the linear oracle to the bit until another has proved itself, and the way there and back.
#include "estimate/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/play.h"
#include "base/size.h"
#include "estimate/variants.h"
#include "rein/bytes.h"

namespace rein {
namespace {

std::vector<double> race_means(const Oracle& oracle, const Shape& shape, const Round& round) {
  const Estimates e = predict(oracle, shape, round);
  std::vector<double> all;
  for (int h = 0; h < shape.heads(); ++h) {
    for (double mean : e.mean(h)) all.push_back(mean);
  }
  for (double width : e.width()) all.push_back(width);
  return all;
}

// Contexts of three numbers in [-1, 1]; means of four actions, linear or curved.
struct RaceCase {
  Shape shape{.actions = 4, .context = 3};
  Rng rng{5};
  std::vector<double> x = std::vector<double>(3);
  Round next() {
    for (double& number : x) number = 2.0 * rng.uniform() - 1.0;
    return {.actions = 4, .context = x};
  }
  double linear(int a) const { return 0.3 * x[0] - 0.2 * x[1] + 0.1 * a * x[2]; }
  double curved(int a) const { return 0.5 * std::cos(3.0 * x[0] + a); }
  double noisy(double mean) { return mean + 0.4 * (rng.uniform() - 0.5); }
};

TEST(Race, IsTheLinearOracleToTheBitWhereMeansAreLinear) {
  RaceCase c;
  const auto race = oracle_of("auto", c.shape), vaw = oracle_of("vaw(memory=auto)", c.shape);
  for (int t = 0; t < 3000; ++t) {
    const Round round = c.next();
    ASSERT_EQ(race_means(*race, c.shape, round), race_means(*vaw, c.shape, round)) << t;
    const double y = c.noisy(c.linear(t % 4));
    race->learn(round, t % 4, {&y, 1});
    vaw->learn(round, t % 4, {&y, 1});
    ASSERT_EQ(race->regret(), vaw->regret());
  }
  EXPECT_EQ(race->dimension(), vaw->dimension());
}

TEST(Race, CurvesTakeOverAndTheLinearOracleComesBackAfterAChange) {
  RaceCase c;
  const auto made = oracle_of("auto", c.shape);
  auto& race = dynamic_cast<Race&>(*made);
  const int curves = race.size() - 1;
  for (int t = 0; t < 1500; ++t) {
    const Round round = c.next();
    const double y = c.noisy(c.curved(t % 4));
    race.learn(round, t % 4, {&y, 1});
  }
  EXPECT_EQ(race.leader(0), curves);
  EXPECT_GT(race.dimension(), 4);
  EXPECT_GE(race.regret(), 0.0);
  for (int t = 0; t < 6000 && race.leader(0) == curves; ++t) {
    const Round round = c.next();
    const double y = c.noisy(c.linear(t % 4));
    race.learn(round, t % 4, {&y, 1});
  }
  EXPECT_NE(race.leader(0), curves);
}

TEST(Race, EveryHeadMovesByItself) {
  RaceCase c;
  c.shape.costs = {{.name = "spend", .range = {-1.0, 1.0}}};
  const auto made = oracle_of("auto", c.shape);
  const auto alone = oracle_of("vaw(memory=auto)", c.shape);
  auto& race = dynamic_cast<Race&>(*made);
  for (int t = 0; t < 2000; ++t) {
    const Round round = c.next();
    const double y[2] = {c.noisy(c.linear(t % 4)), c.noisy(c.curved(t % 4))};
    race.learn(round, t % 4, y);
    alone->learn(round, t % 4, y);
  }
  EXPECT_EQ(race.leader(0), 0);
  EXPECT_EQ(race.leader(1), race.size() - 1);
  double error = 0.0, linear = 0.0;
  for (int t = 0; t < 100; ++t) {
    const Round round = c.next();
    const Estimates a = predict(race, c.shape, round), b = predict(*alone, c.shape, round);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(a.mean(0)[i], b.mean(0)[i]);
      EXPECT_EQ(a.width()[i], b.width()[i]);
      error += std::abs(a.mean(1)[i] - c.curved(i));
      linear += std::abs(b.mean(1)[i] - c.curved(i));
    }
  }
  const Round round = c.next();
  EXPECT_LT(error, 0.5 * linear);
  const std::string bytes = saved(race);  // with a head that has moved
  const auto again = oracle_of("auto", c.shape);
  ByteReader in(bytes);
  ASSERT_TRUE(again->load(in).ok());
  EXPECT_EQ(race_means(*again, c.shape, round), race_means(race, c.shape, round));
  EXPECT_EQ(saved(*again), bytes);
}

// Outcomes of one action with one number: a race whose curves have 33 parameters.
struct ShortRace {
  explicit ShortRace(const char* spec) : made(oracle_of(spec, shape)), race(dynamic_cast<Race&>(*made)) {}
  void play(int rounds, double (*mean)(double)) {
    for (int t = 0; t < rounds; ++t) {
      const double x = 2.0 * rng.uniform() - 1.0;
      const double y = mean(x) + 0.4 * (rng.uniform() - 0.5);
      race.learn({.actions = 1, .features = {&x, 1}}, 0, {&y, 1});
    }
  }
  std::string bytes() const {
    ByteWriter out;
    race.save(out);
    return out.take();
  }
  Shape shape{.actions = 1, .features = 1};
  Rng rng{7};
  std::unique_ptr<Oracle> made;
  Race& race;
};

double straight(double x) { return 0.4 * x; }
double wavy(double x) { return 0.5 * std::cos(4.0 * x); }

TEST(Race, ChallengersThatAreBehindLearnOneOutcomeInFour) {
  ShortRace sparse("auto"), every("auto(challengers=every)");
  for (ShortRace* race : {&sparse, &every}) race->play(4000, straight);
  EXPECT_EQ(every.race.left_out(1), 0);
  EXPECT_EQ(sparse.race.left_out(0), 0) << "the linear member learns all";
  EXPECT_GT(sparse.race.left_out(1), 2000);
  EXPECT_LT(sparse.race.left_out(1), 3000);
  EXPECT_FALSE(sparse.race.forgets());
  EXPECT_EQ(sparse.race.regret(), every.race.regret()) << "the linear member plays alone";
}

TEST(Race, AChangeOfTheWeightsIsNoticedSoonWhetherAllIsLearnedOrNot) {
  for (const char* spec : {"auto", "auto(challengers=every)"}) {
    ShortRace c(spec);
    c.play(2000, straight);
    ASSERT_EQ(c.race.change()->times, 0) << spec;
    int outcomes = 0;  // the mean stays 0, so only the test of weights can see it
    while (c.race.change()->times == 0 && outcomes < 1000) {
      c.play(1, [](double x) { return -0.4 * x; });
      ++outcomes;
    }
    EXPECT_LT(outcomes, 200) << spec;
  }
}

TEST(Race, OneThatWasBehindStillTakesOverButItsRegretIsNotKnown) {
  ShortRace c("auto");
  c.play(4000, straight);
  ASSERT_GT(c.race.left_out(1), 0);
  c.play(4000, wavy);
  EXPECT_EQ(c.race.leader(0), 1);
  EXPECT_TRUE(c.race.forgets());
  EXPECT_TRUE(std::isnan(c.race.regret()));
  const auto left_out = c.race.left_out(1);
  c.play(400, wavy);
  EXPECT_EQ(c.race.left_out(1), left_out) << "who plays learns all";
}

TEST(Race, GoesOnToTheBitWhereSomeAreBehind) {
  ShortRace c("auto");
  c.play(2001, straight);
  ShortRace copy("auto");
  const std::string bytes = c.bytes();
  ByteReader in(bytes);
  ASSERT_TRUE(copy.race.load(in));
  copy.rng = c.rng;
  for (ShortRace* race : {&c, &copy}) race->play(1500, straight);
  EXPECT_EQ(c.bytes(), copy.bytes());
}

TEST(Race, RefusesWhatIsNoListOfOracles) {
  const Shape shape{.actions = 2, .context = 3};
  const auto made = make_oracle(parse_spec("auto(of=[])", "oracle spec").value(), shape);
  EXPECT_EQ(made.error(),
            "oracle spec: key \"of\" has [] at 8; accepted: a list of 1 to 16 oracles, or both");
}

// Ten actions that differ by little: mean squared error of the estimates of unseen contexts.
double both_error(const std::string& spec, double apart, int rounds) {
  const Shape shape{.actions = 10, .context = 8};
  const auto oracle = oracle_of(spec, shape);
  Rng rng(3);
  std::vector<double> common(9), own(90), x(8);
  for (double& w : common) w = rng.uniform() - 0.5;
  for (double& w : own) w = apart * (rng.uniform() - 0.5);
  const auto mean = [&](int a) {
    double sum = common[8] + own[as_size(a) * 9 + 8];
    for (std::size_t j = 0; j < 8; ++j) sum += (common[j] + own[as_size(a) * 9 + j]) * x[j];
    return std::clamp(sum, -0.9, 0.9);
  };
  double error = 0.0;
  for (int t = 0; t < rounds + 200; ++t) {
    for (double& number : x) number = (rng.uniform() - 0.5);
    const Round round{.actions = 10, .context = x};
    if (t >= rounds) {
      const Estimates e = predict(*oracle, shape, round);
      for (int a = 0; a < 10; ++a) error += std::pow(e.mean(0)[a] - mean(a), 2) / 2000.0;
      continue;
    }
    const double y = std::clamp(mean(t % 10) + 0.2 * (rng.uniform() - 0.5), -1.0, 1.0);
    oracle->learn(round, t % 10, {&y, 1});
  }
  return error;
}

TEST(Both, LearnsSoonerWhereActionsAreAlikeAndIsNotWorseLater) {
  EXPECT_LT(both_error("vaw(features=both)", 0.1, 80), 0.5 * both_error("vaw", 0.1, 80));
  EXPECT_LT(both_error("vaw(features=both)", 0.1, 400), 0.8 * both_error("vaw", 0.1, 400));
  EXPECT_LT(both_error("vaw(features=both)", 0.6, 20'000), 1.02 * both_error("vaw", 0.6, 20'000));
}

TEST(Both, SaysAboutAnUnknownActionWhatTheOthersHaveInCommon) {
  const Shape shape{.actions = 3, .context = 1};
  const auto both = oracle_of("vaw(features=both)", shape);
  const auto slopes = oracle_of("vaw(features=both,level=0)", shape);
  Rng rng(4);
  double x = 0.0;
  for (int t = 0; t < 2000; ++t) {
    x = 2.0 * rng.uniform() - 1.0;
    const double y = 0.3 + 0.2 * (t % 2) + 0.4 * x;
    for (const auto& oracle : {both.get(), slopes.get()}) {
      oracle->learn({.actions = 3, .context = {&x, 1}}, t % 2, {&y, 1});
    }
  }
  x = 0.5;
  const Round round{.actions = 3, .context = {&x, 1}};
  EXPECT_NEAR(predict(*both, shape, round).mean(0)[2], 0.4 + 0.4 * x, 0.02);
  EXPECT_NEAR(predict(*slopes, shape, round).mean(0)[2], 0.4 * x, 0.02);
  EXPECT_GT(predict(*both, shape, round).width()[2], 0.5) << "it is as unknown as before";
  EXPECT_TRUE(std::isfinite(both->regret()));
  EXPECT_LE(both->regret(), both->bound(2000));
}

TEST(Both, OthersRefuseItByName) {
  const Shape shape{.actions = 3, .context = 2};
  const auto made = make_oracle(parse_spec("kernel(features=both)", "oracle spec").value(), shape);
  EXPECT_NE(made.error().find("features=both is for vaw and ridge"), std::string::npos);
}

}  // namespace
}  // namespace rein
