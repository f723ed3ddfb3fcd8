// Outcomes in parts: each head is learned from the rounds in which it was seen, and only from these.
#include <gtest/gtest.h>

#include <cmath>

#include "base/math.h"
#include "estimate/play.h"
#include "estimate/vaw.h"
#include "rein/own.h"

namespace rein {
namespace {

Shape two_costs(int context, int features = 0) {
  Shape shape{.actions = 3, .context = context, .features = features};
  shape.costs = {{.name = "dollars", .range = {0.0, 5.0}}, {.name = "delay", .range = {-1.0, 1.0}}};
  return shape;
}

// A linear world: what the heads of an action are, in the units of the shape.
std::vector<double> means_of(const Shape& shape, const Round& round, int action) {
  std::vector<double> means;
  for (int h = 0; h < shape.heads(); ++h) {
    const double unit = h == 1 ? 5.0 : 1.0;
    double mean = h == 1 ? 0.5 : 0.0;
    for (std::size_t j = 0; j < round.context.size(); ++j) {
      Rng rng(40 + static_cast<std::uint64_t>(h), 16 * static_cast<std::uint64_t>(action) + j);
      mean += 0.3 * rng.rademacher() * round.context[j];
    }
    means.push_back(h == 1 ? unit * std::clamp(mean, 0.0, 1.0) : mean);
  }
  return means;
}

std::vector<double> only(std::vector<double> y, const std::vector<bool>& came) {
  for (std::size_t h = 0; h < y.size(); ++h) {
    if (!came[h]) y[h] = kNan;
  }
  return y;
}

class RidgeInParts : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Specs, RidgeInParts,
                         testing::Values("vaw", "ridge(reg=0.5)", "vaw(features=joint)",
                                         "kernel(size=16)", "vaw(memory=50)",
                                         "kernel(features=joint,size=16)"));

Shape shape_for(const std::string& spec) {
  return spec.find("joint") != std::string::npos ? two_costs(2, 3) : two_costs(4);
}

// The reward comes in 60 % of the rounds, one cost in 90 %, the other always. Every head predicts
// what it would had it been alone in the rounds in which it was seen, and so does its width.
TEST_P(RidgeInParts, EachHeadIsTheHeadOfItsOwnRounds) {
  const bool forgets = GetParam().find("memory") != std::string::npos;
  const Shape shape = shape_for(GetParam());
  auto together = oracle_of(GetParam(), shape);
  std::vector<std::unique_ptr<Oracle>> alone;
  for (int h = 0; h < 3; ++h) alone.push_back(oracle_of(GetParam(), shape));
  Rounds rounds(shape, false, 5);
  Rng rng(8);
  for (int t = 0; t < 400; ++t) {
    const OwnedRound round = rounds.next();
    const int action = static_cast<int>(rng.below(shape.actions));
    const std::vector<double> y = rounds.outcomes();
    const std::vector<bool> came = {rng.uniform() < 0.6, rng.uniform() < 0.9, true};
    together->learn(round.view(), action, only(y, came));
    for (std::size_t h = 0; h < 3; ++h) {
      if (came[h]) alone[h]->learn(round.view(), action, y);
    }
  }
  const OwnedRound round = rounds.next();
  const Estimates all = predict(*together, shape, round.view());
  ASSERT_TRUE(all.apart());
  if (forgets) return;  // the clock counts parts, see below
  for (int h = 0; h < 3; ++h) {
    const Estimates one = predict(*alone[static_cast<std::size_t>(h)], shape, round.view());
    EXPECT_FALSE(one.apart());
    for (int a = 0; a < shape.actions; ++a) {
      EXPECT_NEAR(all.mean(h)[a], one.mean(h)[a], 1e-9 * shape.costs[0].range.high);
      EXPECT_NEAR(all.width(h)[a], one.width()[a], 1e-9);
    }
  }
}

// Parts that come one after the other are the outcome: same bits, whatever the order.
TEST_P(RidgeInParts, AllPartsOneByOneAreTheWholeOutcome) {
  if (GetParam().find("memory") != std::string::npos) return;
  const Shape shape = shape_for(GetParam());
  auto whole = oracle_of(GetParam(), shape), parts = oracle_of(GetParam(), shape);
  Rounds rounds(shape, false, 5);
  for (int t = 0; t < 200; ++t) {
    const OwnedRound round = rounds.next();
    const std::vector<double> y = rounds.outcomes();
    whole->learn(round.view(), t % 3, y);
    for (int i = 0; i < 3; ++i) {
      std::vector<bool> came(3);
      came[static_cast<std::size_t>((t + i) % 3)] = true;
      parts->learn(round.view(), t % 3, only(y, came));
    }
    ASSERT_EQ(parts->regret(), whole->regret());
  }
  const OwnedRound round = rounds.next();
  const Estimates a = predict(*whole, shape, round.view()),
                  b = predict(*parts, shape, round.view());
  for (int h = 0; h < 3; ++h) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(a.mean(h)[i], b.mean(h)[i]);
      EXPECT_EQ(a.width()[i], b.width(h)[i]);
    }
  }
}

TEST(Parts, AFactorIsSplitOnlyWhereHeadsComeApart) {
  const Shape shape = two_costs(4);
  auto made = oracle_of("vaw(features=per_action,bias=1)", shape);
  auto& vaw = dynamic_cast<Vaw&>(*made);
  Rounds rounds(shape, false, 5);
  const auto learn = [&](bool reward, bool first, bool second) {
    const OwnedRound round = rounds.next();
    made->learn(round.view(), 1, only(rounds.outcomes(), {reward, first, second}));
  };
  const std::size_t factor = 3 * 15, rows = 3 * 3 * 5;  // sets x packed, sets x heads x d
  learn(true, true, true);
  EXPECT_EQ(vaw.state_size(), factor + rows);
  learn(false, true, true);  // the costs come together
  learn(true, false, false);
  EXPECT_EQ(vaw.state_size(), 2 * factor + rows);
  learn(false, false, false);
  EXPECT_EQ(vaw.state_size(), 2 * factor + rows);
  learn(true, false, true);
  EXPECT_EQ(vaw.state_size(), 3 * factor + rows);
}

// Memory: a part of an outcome ages what was learned by its share of the heads, so all parts of an
// outcome age it by one outcome.
TEST(Parts, MemoryCountsWholeOutcomes) {
  const Shape shape = two_costs(2);
  auto whole = oracle_of("vaw(memory=20)", shape), parts = oracle_of("vaw(memory=20)", shape);
  Rounds rounds(shape, false, 5);
  for (int t = 0; t < 100; ++t) {
    const OwnedRound round = rounds.next();
    const std::vector<double> y = rounds.outcomes();
    whole->learn(round.view(), t % 2, y);
    parts->learn(round.view(), t % 2, only(y, {false, true, true}));
    parts->learn(round.view(), t % 2, only(y, {true, false, false}));
  }
  const OwnedRound round = rounds.next();
  const Estimates a = predict(*whole, shape, round.view()),
                  b = predict(*parts, shape, round.view());
  for (int h = 0; h < 3; ++h) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(b.width(h)[i], a.width()[i], 0.05 * a.width()[i]);
      EXPECT_NEAR(b.mean(h)[i], a.mean(h)[i], 0.05);
    }
  }
}

// 40 % of the rewards are missing at random. The reward is then known as well as after 60 % of the
// rounds: its error is that of an oracle that saw only those, and far from that of a fifth.
double error_of(const std::string& spec, double share, int rounds_learned, bool in_parts) {
  const Shape shape = two_costs(3);
  double error = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto oracle = oracle_of(spec, shape);
    Rounds rounds(shape, false, 100 + seed);
    Rng rng(seed, 7);
    for (int t = 0; t < rounds_learned; ++t) {
      const OwnedRound round = rounds.next();
      const int action = static_cast<int>(rng.below(3));
      std::vector<double> y = means_of(shape, round.view(), action);
      y[0] += 0.4 * rng.rademacher();
      const bool came = rng.uniform() < share;
      if (in_parts) {
        oracle->learn(round.view(), action, only(y, {false, true, true}));
        if (came) oracle->learn(round.view(), action, only(y, {true, false, false}));
      } else if (came) {
        oracle->learn(round.view(), action, y);
      }
    }
    for (int t = 0; t < 200; ++t) {
      const OwnedRound round = rounds.next();
      const Estimates said = predict(*oracle, shape, round.view());
      for (int a = 0; a < 3; ++a) {
        const double miss = said.mean(0)[a] - means_of(shape, round.view(), a)[0];
        error += miss * miss / (10 * 200 * 3);
      }
    }
  }
  return error;
}

TEST(Parts, RewardsMissingAtRandomCostWhatTheirRoundsCost) {
  for (const char* spec :
       {"vaw", "kernel(size=16)", "stack(of=[vaw,kernel(size=16)])", "pair", "ons", "adagrad"}) {
    const double in_parts = error_of(spec, 0.6, 600, true);
    const double whole = error_of(spec, 0.6, 600, false);
    const double fewer = error_of(spec, 0.2, 600, true);
    EXPECT_NEAR(in_parts, whole, 0.05 * whole + 1e-9) << spec;
    EXPECT_GT(fewer, 1.15 * in_parts) << spec;
  }
}

// Shared trees and hidden layers: what the costs teach may help or hurt the reward a little.
TEST(Parts, SharedModelsLearnTheRewardTooWhereItComesSeldom) {
  for (const char* spec : {"forest", "mlp"}) {
    const double in_parts = error_of(spec, 0.6, 600, true);
    const double whole = error_of(spec, 0.6, 600, false);
    EXPECT_LT(in_parts, 1.35 * whole) << spec;
  }
}

// One that fails on any outcome that it was not made for.
class Whole : public OwnOracle {
 public:
  explicit Whole(bool parts) : parts_(parts) {}
  void predict(const Round&, Estimates& estimates) const override {
    for (int h = 0; h < estimates.heads(); ++h) std::ranges::fill(estimates.mean(h), 0.0);
  }
  void learn(const Round&, int, std::span<const double> outcomes) override {
    seen_ += std::isnan(outcomes[0]) ? 0 : 1;
  }
  bool learns_parts() const override { return parts_; }
  void save(ByteWriter& out) const override { out.i64(seen_); }
  Result<> load(ByteReader& in) override {
    seen_ = in.i64();
    return in.status();
  }

 private:
  bool parts_;
  std::int64_t seen_ = 0;
};

TEST(Parts, AnOracleOfTheCallersSaysWhetherItLearnsThem) {
  const Shape shape = two_costs(1);
  for (bool parts : {false, true}) {
    Own own;
    own.oracles["mine"] = [parts](const Shape&) -> Result<std::unique_ptr<OwnOracle>> {
      return std::unique_ptr<OwnOracle>(new Whole(parts));
    };
    auto oracle = make_oracle(parse_spec("own(name=mine)").value(), shape, own).value();
    Rounds rounds(shape, false, 3);
    const OwnedRound round = rounds.next();
    const std::vector<double> costs = only(rounds.outcomes(), {false, true, true});
    if (parts) {
      oracle->learn(round.view(), 0, costs);
    } else {
      EXPECT_THROW(oracle->learn(round.view(), 0, costs), Failure);
    }
  }
}

}  // namespace
}  // namespace rein
