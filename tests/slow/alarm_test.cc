// The realizability alarm over ten seeds of 20 000 rounds: it always rings for a wrong class and
// never for a right one, with random or greedy actions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tuning/alarmed.h"

namespace rein {
namespace {

constexpr int kRounds = 20'000;
constexpr std::uint64_t kSeeds = 10;

struct Problem {
  const char* world;
  const char* oracle;
  Play play;
};

TEST(AlarmSlow, RingsOnEverySeedWhereTheClassIsWrong) {
  for (const auto& [world, oracle, play] :
       {Problem{"nonlinear", "vaw", Play::kRandom}, Problem{"nonlinear", "vaw", Play::kGreedy},
        Problem{"nonlinear(kind=steps)", "vaw", Play::kGreedy},
        Problem{"nonlinear(costs=positive,rate=0.2)", "vaw", Play::kRandom},
        Problem{"misspecified(strength=0.5)", "vaw", Play::kRandom},
        Problem{"misspecified(strength=1)", "vaw", Play::kRandom},
        Problem{"misspecified(strength=1)", "vaw", Play::kGreedy},
        Problem{"misspecified(strength=1,m=3,k=8)", "vaw", Play::kRandom}}) {
    std::int64_t last = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Alarmed run = drive(world, oracle, seed, kRounds, play);
      EXPECT_TRUE(run.alarm.ringing()) << world << " seed " << seed;
      last = std::max(last, run.alarm.since());
    }
    fmt::print("{:40} {:8} {}  rang on all seeds by round {}\n", world, oracle,
               play == Play::kRandom ? "random" : "greedy", last);
  }
}

TEST(AlarmSlow, IsQuietOnEverySeedWhereTheClassIsRight) {
  for (const auto& [world, oracle] : {std::pair{"linear", "vaw"},
                                      {"linear(order=adaptive)", "vaw"},
                                      {"linear(order=switching)", "vaw"},
                                      {"linear(order=drift,noise=gaussian)", "vaw"},
                                      {"linear(costs=positive,rate=0.2,noise=low)", "vaw"},
                                      {"finite", "vaw"},
                                      {"finite(order=cyclic)", "finite"},
                                      {"heavy", "vaw"},
                                      {"heavy(noise=rademacher)", "vaw"},
                                      {"misspecified(strength=0)", "vaw"},
                                      {"misspecified(strength=0,noise=rademacher)", "vaw"}}) {
    for (Play play : {Play::kRandom, Play::kGreedy}) {
      double most = -1e300;
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        const Alarmed run = drive(world, oracle, seed, kRounds, play);
        EXPECT_FALSE(run.alarm.ringing()) << world << " seed " << seed << " " << run.alarm.word();
        for (int h = 0; h < run.shape.heads(); ++h) most = std::max(most, run.alarm.excess(h));
      }
      fmt::print("{:45} {:8} {}  quiet; largest D {:.1f}\n", world, oracle,
                 play == Play::kRandom ? "random" : "greedy", most);
    }
  }
}

}  // namespace
}  // namespace rein
