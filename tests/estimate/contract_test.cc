// The contract of every oracle, over every entry of the table and every way to combine features.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "catalog_keys.h"
#include "estimate/play.h"
#include "estimate/variants.h"

namespace rein {
namespace {

struct Case {
  Variant variant;
  Shape shape;
  std::unique_ptr<Oracle> oracle;
  Rounds rounds;

  explicit Case(const Variant& v)
      : variant(v),
        shape(v.shape),
        oracle(oracle_of(v.spec, v.shape)),
        rounds(v.shape, v.sparse, 23) {}
};

// One oracle of the table; each() runs a claim over all of its variants.
class OracleContract : public testing::TestWithParam<std::string> {
 protected:
  template <class Claim>
  void each(Claim claim) {
    int found = 0;
    for (const Variant& variant : variants()) {
      if (variant.spec.substr(0, variant.spec.find('(')) != GetParam()) continue;
      SCOPED_TRACE(variant.name);
      Case one(variant);
      claim(one);
      if (HasFatalFailure()) return;
      ++found;
    }
    EXPECT_GT(found, 0);
  }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Entry& entry : oracles()) all.emplace_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Oracles, OracleContract, testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

void learn_some(Oracle& by, Rounds& from, int count) {
  for (int t = 0; t < count; ++t) {
    const OwnedRound round = from.next(t % 3 == 0);
    const int action = static_cast<int>(from.rng().below(round.actions));
    by.learn(round.view(), action, from.outcomes());
  }
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

void expect_same(const Estimates& a, const Estimates& b) {
  ASSERT_EQ(a.heads(), b.heads());
  for (int h = 0; h < a.heads(); ++h) ASSERT_TRUE(same_bits(a.mean(h), b.mean(h))) << "head " << h;
  ASSERT_EQ(a.apart(), b.apart());
  for (int h = 0; h < a.heads(); ++h) ASSERT_TRUE(same_bits(a.width(h), b.width(h)));
}

TEST_P(OracleContract, EstimatesAreFiniteAndInsideTheRanges) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    for (int t = 0; t < 300; ++t) {
      const OwnedRound round = rounds.next(t % 2 == 0);
      ASSERT_TRUE(validate(shape, round.view()).ok());
      const Estimates e = predict(*oracle, shape, round.view());
      for (int h = 0; h < shape.heads(); ++h) {
        const Range& range = h == 0 ? shape.reward : shape.costs[h - 1].range;
        for (double mean : e.mean(h)) {
          ASSERT_TRUE(mean >= range.low && mean <= range.high) << mean << " in head " << h;
        }
      }
      for (double w : e.width()) ASSERT_TRUE(w >= 0.0 && w < 1.0) << w;
      oracle->learn(round.view(), static_cast<int>(rounds.rng().below(round.actions)),
                    rounds.outcomes());
    }
  });
}

TEST_P(OracleContract, PredictingChangesNothing) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    learn_some(*oracle, rounds, 50);
    const std::string before = saved(*oracle);
    const OwnedRound round = rounds.next();
    const Estimates first = predict(*oracle, shape, round.view());
    for (int t = 0; t < 10; ++t) predict(*oracle, shape, rounds.next(true).view());
    EXPECT_EQ(saved(*oracle), before);
    expect_same(predict(*oracle, shape, round.view()), first);
  });
}

TEST_P(OracleContract, ALoadedOracleGoesOnBitForBit) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    for (int learned : {0, 60}) {
      learn_some(*oracle, rounds, learned);
      const std::string bytes = saved(*oracle);
      auto copy = oracle_of(variant.spec, shape);
      ByteReader in(bytes);
      ASSERT_TRUE(copy->load(in).ok());
      ASSERT_TRUE(in.finish().ok());
      EXPECT_EQ(saved(*copy), bytes);
      Rounds again(shape, variant.sparse, 77), same(shape, variant.sparse, 77);
      learn_some(*oracle, again, 40);
      learn_some(*copy, same, 40);
      EXPECT_EQ(saved(*copy), saved(*oracle));
      const double a = copy->regret(), b = oracle->regret();
      EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " " << b;
      const OwnedRound round = again.next();
      expect_same(predict(*copy, shape, round.view()), predict(*oracle, shape, round.view()));
    }
  });
}

// One outcome of `rounds`, of which only some parts came. At least one did.
std::vector<double> some_of(Rounds& rounds) {
  std::vector<double> y = rounds.outcomes();
  const auto kept =
      static_cast<std::size_t>(rounds.rng().below(static_cast<std::int64_t>(y.size())));
  for (std::size_t h = 0; h < y.size(); ++h) {
    if (h != kept && rounds.rng().uniform() < 0.5) y[h] = std::nan("");
  }
  return y;
}

void learn_parts(Oracle& by, Rounds& from, int count) {
  for (int t = 0; t < count; ++t) {
    const OwnedRound round = from.next(t % 3 == 0);
    const int action = static_cast<int>(from.rng().below(round.actions));
    by.learn(round.view(), action, some_of(from));
  }
}

TEST_P(OracleContract, OutcomesInPartsAreLearnedSavedAndContinued) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    learn_some(*oracle, rounds, 30);
    learn_parts(*oracle, rounds, 200);
    const std::string bytes = saved(*oracle);
    auto copy = oracle_of(variant.spec, shape);
    ByteReader in(bytes);
    ASSERT_TRUE(copy->load(in).ok());
    ASSERT_TRUE(in.finish().ok());
    EXPECT_EQ(saved(*copy), bytes);
    for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 37) {
      ByteReader part(std::string_view(bytes).substr(0, cut));
      EXPECT_FALSE(oracle_of(variant.spec, shape)->load(part).ok()) << "of " << cut << " bytes";
    }
    Rounds again(shape, variant.sparse, 77), same(shape, variant.sparse, 77);
    for (int t = 0; t < 3; ++t) {
      learn_parts(*oracle, again, 20);
      learn_parts(*copy, same, 20);
      learn_some(*oracle, again, 10);
      learn_some(*copy, same, 10);
    }
    EXPECT_EQ(saved(*copy), saved(*oracle));
    const OwnedRound round = again.next();
    const Estimates said = predict(*oracle, shape, round.view());
    expect_same(predict(*copy, shape, round.view()), said);
    for (int h = 0; h < shape.heads(); ++h) {
      const Range& range = h == 0 ? shape.reward : shape.costs[h - 1].range;
      for (double mean : said.mean(h)) ASSERT_TRUE(mean >= range.low && mean <= range.high) << mean;
      for (double w : said.width(h)) ASSERT_TRUE(w >= 0.0 && w < 1.0) << w;
    }
    const double regret = oracle->regret();
    EXPECT_TRUE(std::isnan(regret) || regret >= 0.0) << regret;
  });
}

// Heads have parameters of their own in all oracles but forest and mlp, whose splits and hidden
// layers serve all heads.
TEST_P(OracleContract, AHeadThatDoesNotComeKeepsItsEstimates) {
  if (GetParam() == "forest" || GetParam() == "mlp") return;
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    const bool shared = variant.spec.find("forest") != std::string::npos;
    if (shape.heads() < 2 || forgets(variant) || shared ||
        variant.spec.find("dictionary") != std::string::npos) {
      return;
    }
    learn_some(*oracle, rounds, 40);
    for (bool reward : {true, false}) {
      const OwnedRound round = rounds.next();
      const Estimates before = predict(*oracle, shape, round.view());
      for (int t = 0; t < 40; ++t) {
        const OwnedRound other = rounds.next();
        std::vector<double> y = rounds.outcomes();
        for (std::size_t h = 0; h < y.size(); ++h) {
          if ((h == 0) != reward) y[h] = std::nan("");
        }
        oracle->learn(other.view(), static_cast<int>(rounds.rng().below(other.actions)), y);
      }
      const Estimates after = predict(*oracle, shape, round.view());
      for (int h = 0; h < shape.heads(); ++h) {
        if ((h == 0) == reward) continue;
        ASSERT_TRUE(same_bits(before.mean(h), after.mean(h))) << "head " << h;
      }
    }
  });
}

// Every variant and what it saves before the first round.
const std::vector<std::pair<Variant, std::string>>& fresh() {
  static const auto all = [] {
    std::vector<std::pair<Variant, std::string>> made;
    for (const Variant& v : variants()) made.emplace_back(v, saved(*oracle_of(v.spec, v.shape)));
    return made;
  }();
  return all;
}

TEST_P(OracleContract, ForeignBytesAreRefused) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    learn_some(*oracle, rounds, 5);
    const std::string bytes = saved(*oracle);
    for (std::size_t cut : {std::size_t{0}, std::size_t{5}, bytes.size() - 1}) {
      ByteReader in(std::string_view(bytes).substr(0, cut));
      EXPECT_FALSE(oracle_of(variant.spec, shape)->load(in).ok()) << "of " << cut << " bytes";
    }
    for (const auto& [other, foreign] : fresh()) {
      ByteReader in(foreign);
      auto loaded = oracle_of(variant.spec, shape)->load(in);
      const bool taken = loaded.ok() && in.finish().ok();
      if (taken) {  // only the same name and the same sizes load
        EXPECT_EQ(other.spec.substr(0, other.spec.find('(')),
                  variant.spec.substr(0, variant.spec.find('(')));
        EXPECT_EQ(foreign.size(), bytes.size()) << other.name;
      } else {
        EXPECT_NE(other.name, variant.name);
      }
    }
  });
}

TEST_P(OracleContract, AnActionsEstimateDoesNotDependOnTheOthers) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    learn_some(*oracle, rounds, 40);
    for (int t = 0; t < 5; ++t) {
      const OwnedRound round = rounds.next(t % 2 == 0);
      const Estimates together = predict(*oracle, shape, round.view());
      for (int a = 0; a < round.actions; ++a) {
        const Estimates alone = predict(*oracle, shape, round.only(a, shape.features).view());
        for (int h = 0; h < shape.heads(); ++h) ASSERT_EQ(alone.mean(h)[0], together.mean(h)[a]);
        ASSERT_EQ(alone.width()[0], together.width()[a]);
      }
    }
  });
}

TEST_P(OracleContract, WhatIsKnownOfAnActionKeepsWhileItIsAway) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    if (!variant.per_action || shape.actions < 3 || forgets(variant))
      return;  // shared parameters move with every round
    learn_some(*oracle, rounds, 40);
    const OwnedRound round = rounds.with_ids({1});
    const Estimates before = predict(*oracle, shape, round.view());
    std::vector<std::int32_t> others;
    for (int id = 0; id < shape.actions; ++id) {
      if (id != 1) others.push_back(id);
    }
    for (int t = 0; t < 40; ++t) {
      const OwnedRound without = rounds.with_ids(others);
      oracle->learn(without.view(), t % without.actions, rounds.outcomes());
    }
    expect_same(predict(*oracle, shape, round.view()), before);
  });
}

TEST_P(OracleContract, SparseRowsMeanWhatTheDenseOnesMean) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    if (!variant.sparse) return;
    auto dense = oracle_of(variant.spec, shape);
    for (int t = 0; t < 60; ++t) {
      const OwnedRound round = rounds.next(t % 2 == 0);
      const OwnedRound written_out = rounds.dense(round);
      const Estimates a = predict(*oracle, shape, round.view());
      const Estimates b = predict(*dense, shape, written_out.view());
      for (int h = 0; h < shape.heads(); ++h) {
        for (int i = 0; i < round.actions; ++i) {
          ASSERT_NEAR(a.mean(h)[i], b.mean(h)[i], 1e-8 * (1.0 + std::abs(b.mean(h)[i])));
        }
      }
      const int action = static_cast<int>(rounds.rng().below(round.actions));
      const std::vector<double> y = rounds.outcomes();
      oracle->learn(round.view(), action, y);
      dense->learn(written_out.view(), action, y);
    }
  });
}

TEST_P(OracleContract, TheBoundNeverFallsAndRegretIsANumberUnderTheLoss) {
  each([](Case& one) {
    auto& [variant, shape, oracle, rounds] = one;
    double before = 0.0;
    for (std::int64_t rounds_played : {0, 1, 2, 10, 1000, 1'000'000, 1'000'000'000}) {
      const double bound = oracle->bound(rounds_played);
      EXPECT_TRUE(std::isfinite(bound));
      EXPECT_GE(bound, before);
      before = bound;
    }
    if (forgets(variant)) {
      learn_some(*oracle, rounds, 1);
      EXPECT_TRUE(std::isnan(oracle->regret()));
      return;
    }
    if (std::isnan(oracle->regret())) {  // optimistic: its loss is not summed; auto: not proved
      EXPECT_TRUE(variant.spec.find("optimistic") != std::string::npos || variant.spec.starts_with("auto"));
      return;
    }
    EXPECT_GE(oracle->regret(), 0.0);
    learn_some(*oracle, rounds, 200);
    EXPECT_GE(oracle->regret(), 0.0);
    EXPECT_LE(oracle->regret(), 4.0 * 200.0 + oracle->bound(1));
  });
}

TEST(OracleTable, ListsTheKeysThatItsOraclesTake) {
  for (const Entry& entry : oracles()) {
    Spec spec{std::string(entry.name)};
    spec.set("zzz", SpecValue{.is = 1.0});
    const std::string error = make_oracle(spec, shape_of(3, 2, 2, false)).error();
    EXPECT_EQ(listed_keys(entry), taken_keys(error)) << entry.name;
  }
}

// With the default written out an oracle learns the same bits, and every choice is accepted.
TEST(OracleTable, DefaultsAreWhatItSaysAndEveryChoiceIsAccepted) {
  const Shape shape = shape_of(4, 2, 3, true);
  const auto learned = [&](const std::string& spec) {
    const auto oracle = oracle_of(spec, shape);
    Rounds rounds(shape, false, 5);
    learn_some(*oracle, rounds, 60);
    return saved(*oracle);
  };
  for (const Entry& entry : oracles()) {
    for (const Option& option : entry.options) {
      for (const std::string& value : values_of(option)) {
        const std::string also = option.key == "novelty" ? "kind=dictionary" : "";
        const std::string with = fmt::format("{}({}{}{}={})", entry.name, also,
                                             also.empty() ? "" : ",", option.key, value);
        const auto made = make_oracle(parse_spec(with).value(), shape);
        ASSERT_TRUE(made.ok()) << made.error();
        if (value != option.default_value) continue;
        EXPECT_EQ(learned(with), learned(fmt::format("{}({})", entry.name, also))) << with;
      }
    }
  }
}

TEST(OracleTable, RefusesWhatItDoesNotKnow) {
  const Shape shape = shape_of(3, 0, 2, false);
  EXPECT_EQ(make_oracle(parse_spec("vow", "oracle spec").value(), shape).error().substr(0, 46),
            "oracle spec: unknown name \"vow\" at 0; accepted");
}

}  // namespace
}  // namespace rein
