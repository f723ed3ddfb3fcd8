// The contract of every explorer, over all entries of the table and scores of every kind.
#include <gtest/gtest.h>

#include <set>

#include "catalog_keys.h"
#include "explore/scores.h"

namespace rein {
namespace {

// Calls claim(spec, scores, gamma) for every combination.
template <class Claim>
void for_all(std::uint64_t seed, Claim claim) {
  Rng rng(seed);
  for (const std::string& spec : explorer_specs()) {
    for (int actions : action_counts()) {
      for (int kind = 0; kind < kKinds; ++kind) {
        const std::vector<double> scores = scores_of(kind, actions, rng);
        for (double gamma : gammas()) {
          SCOPED_TRACE(spec + ", " + std::to_string(actions) + " actions, kind " +
                       std::to_string(kind) + ", gamma " + std::to_string(gamma));
          claim(spec, scores, gamma);
          if (::testing::Test::HasFailure()) return;  // one is enough to read
        }
      }
    }
  }
}

void expect_valid(const std::vector<double>& p) {
  for (double x : p) {
    ASSERT_GE(x, 0.0);
    ASSERT_LE(x, 1.0);
  }
  ASSERT_NEAR(exact_sum(p), 1.0, 1e-12);
}

TEST(Explorers, ProbabilitiesAreValid) {
  for_all(1, [](const std::string& spec, const auto& scores, double gamma) {
    expect_valid(explore(spec, scores, gamma));
  });
}

TEST(Explorers, ProbabilitiesAreValidForVeryManyActions) {
  Rng rng(2);
  for (const std::string& spec : explorer_specs()) {
    SCOPED_TRACE(spec);
    for (int kind : {0, 1, 2}) {
      const std::vector<double> scores = scores_of(kind, 10'000, rng);
      for (double gamma : {0.0, 100.0}) expect_valid(explore(spec, scores, gamma));
    }
  }
  const std::vector<double> spread = scores_of(0, 1'000'000, rng);
  for (const Entry& entry : explorers()) {
    SCOPED_TRACE(entry.name);
    expect_valid(explore(std::string(entry.name), spread, 100.0));
    expect_valid(explore(std::string(entry.name), std::vector<double>(1'000'000, 0.5), 1.0));
  }
}

TEST(Explorers, OneActionIsCertain) {
  for (const std::string& spec : explorer_specs()) {
    for (double gamma : gammas()) EXPECT_EQ(explore(spec, {0.3}, gamma)[0], 1.0) << spec;
  }
}

TEST(Explorers, AHigherScoreNeverHasLessProbability) {
  for_all(3, [](const std::string& spec, const auto& scores, double gamma) {
    const std::vector<double> p = explore(spec, scores, gamma);
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] < scores[b]; });
    double most_below = 0.0, most_here = 0.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && scores[order[i]] > scores[order[i - 1]]) most_below = most_here;
      // exp is right to two units in the last place, no more
      ASSERT_GE(p[order[i]], most_below * (1.0 - 1e-15));
      most_here = std::max(most_here, p[order[i]]);
    }
  });
}

// Multiples of 1/1024 add exactly, so the result must have the same bits.
TEST(Explorers, AShiftOfAllScoresChangesNothing) {
  Rng rng(4);
  for (const std::string& spec : explorer_specs()) {
    for (int actions : action_counts()) {
      for (double gamma : gammas()) {
        std::vector<double> scores(static_cast<std::size_t>(actions)), shifted;
        for (double& score : scores) score = static_cast<double>(rng.below(4096)) / 1024.0 - 2.0;
        const double shift = static_cast<double>(rng.below(1 << 20)) - 1e6;
        for (double score : scores) shifted.push_back(score + shift);
        EXPECT_EQ(explore(spec, scores, gamma), explore(spec, shifted, gamma)) << spec;
      }
    }
  }
}

TEST(Explorers, TheOrderOfActionsDoesNotMatter) {
  Rng rng(5);
  for (const std::string& spec : explorer_specs()) {
    for (int actions : action_counts()) {
      for (int kind : {0, 1, 3}) {
        std::vector<double> scores = scores_of(kind, actions, rng);
        // square gives the rest to the first of tied best actions, so here there is only one best.
        if (spec.starts_with("square")) scores[0] = 2e12;
        std::vector<std::size_t> order(scores.size());
        std::iota(order.begin(), order.end(), 0U);
        for (std::size_t i = order.size(); i > 1; --i) {
          std::swap(order[i - 1],
                    order[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(i)))]);
        }
        std::vector<double> moved;
        for (std::size_t from : order) moved.push_back(scores[from]);
        for (double gamma : {0.0, 0.5, 1e6}) {
          const auto p = explore(spec, scores, gamma), q = explore(spec, moved, gamma);
          for (std::size_t i = 0; i < order.size(); ++i) {
            ASSERT_NEAR(q[i], p[order[i]], 1e-12) << spec << " " << actions << " " << kind;
          }
        }
      }
    }
  }
}

TEST(Explorers, TiesShareAlikeButForSquaresBest) {
  for (const std::string& spec : explorer_specs()) {
    const auto p = explore(spec, {0.5, 0.1, 0.5, 0.1}, 10.0);
    EXPECT_NEAR(p[1], p[3], 1e-15) << spec;
    if (!spec.starts_with("square")) {
      EXPECT_NEAR(p[0], p[2], 1e-15) << spec;
    }
  }
}

TEST(Explorers, DefaultsAreWhatTheCatalogSaysAndEveryChoiceIsAccepted) {
  const std::vector<double> scores = {0.1, 0.5, -0.25};
  for (const Entry& entry : explorers()) {
    const std::string name(entry.name);
    for (const Option& option : entry.options) {
      for (const std::string& value : values_of(option)) {
        const auto with =
            explore(name + "(" + std::string(option.key) + "=" + value + ")", scores, 3.0);
        if (value != option.default_value) continue;
        EXPECT_EQ(with, explore(name, scores, 3.0)) << name << " " << option.key;
      }
    }
  }
}

TEST(Explorers, UnknownNamesAndKeysAreRefusedAndTheCatalogListsTheRest) {
  EXPECT_EQ(make_explorer(parse_spec("thompson").value()).error(),
            "explorer spec: unknown name \"thompson\" at 0; accepted: " + listed_names(explorers()));
  for (const Entry& entry : explorers()) {
    const auto made = make_explorer(parse_spec(std::string(entry.name) + "(zzz=1)").value());
    ASSERT_FALSE(made.ok()) << entry.name;
    EXPECT_EQ(made.error().find("explorer spec: unknown key \"zzz\" at "), 0U) << made.error();
    EXPECT_EQ(listed_keys(entry), taken_keys(made.error())) << entry.name;
  }
  EXPECT_EQ(make_explorer(parse_spec("epsilon(epsilon=1.5)").value()).error(),
            "explorer spec: key \"epsilon\" has 1.5 at 16; accepted: a number from 0 to 1");
  EXPECT_EQ(make_explorer(parse_spec("square(mu=0)").value()).error(),
            "explorer spec: key \"mu\" has 0 at 10; accepted: a number above 0");
}

}  // namespace
}  // namespace rein
