// An oracle of the caller's own that throws, at any call: the policy is as it was, to the byte.
#include <gtest/gtest.h>

#include <set>

#include "catalog_keys.h"
#include "policy/fragile.h"
#include "policy/play.h"

namespace rein {
namespace {

const Shape kThrowingShape{.actions = 4,
                           .context = 3,
                           .costs = {{"dollars", {0.0, 1.0}}, {"grams", {0.0, 500.0}}},
                           .rounds = 60};

// Every policy of the table that takes an oracle, with one of the caller's own alone and beside
// another; and what calls it most: the alarm, first stages, all contexts at once, a stop.
std::vector<std::string> specs() {
  std::vector<std::string> out;
  const std::string rate = "rate=[0.4,150]";
  for (const char* oracle :
       {"own(name=fragile)", "stack(of=[vaw,own(name=fragile)])",
        "stack(of=[own(name=fragile),adagrad])", "optimistic(of=own(name=fragile))"}) {
    const std::string key = std::string("oracle=") + oracle + ",";
    for (const Entry& entry : policies()) {
      if (!listed_keys(entry).contains("oracle") || needs_safe_action(entry.name)) continue;
      const bool priced = listed_keys(entry).contains("rate");
      out.push_back(std::string(entry.name) + "(" + key + (priced ? rate : "rounds=60") + ")");
    }
    out.push_back("ccb(alarm=1," + key + rate + ")");
    out.push_back("ccb(alarm=1,setting=expectation,tuning=theory," + key + "u=3)");
    out.push_back("lincbwk(explore=6," + key + rate + ")");
    out.push_back("squarecbwk(explore=6,stages=2," + key + rate + ")");
    out.push_back("optimistic3(classes=3," + key + rate + ")");
    out.push_back("optimistic3(classes=0," + key + rate + ")");
    out.push_back("stop(null=0,of=ccb(alarm=1," + key + rate + "))");
  }
  return out;
}

// Calls `work` with a fuse for the first, the second, ... call of the oracle, until none is left to
// break; after each throw the policy must be what it was. The number of throws.
template <class Work>
int break_everywhere(Fragile::Fuse& fuse, const Policy& policy, const Work& work) {
  const std::string before = policy.save();
  for (int calls = 0;; ++calls) {
    fuse.calls = calls;
    try {
      work();
      fuse.calls = -1;
      return calls;
    } catch (const std::runtime_error& thrown) {
      EXPECT_STREQ(thrown.what(), "out of order");
      EXPECT_EQ(policy.save() == before, true) << "after " << calls << " calls";
    }
    if (calls > 1000) return calls;
  }
}

TEST(Throwing, LeavesThePolicyAsItWas) {
  std::set<std::string> twice;  // policies that call the oracle again after it has learned
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    Fragile::Fuse fuse;
    auto made = make_policy(spec, kThrowingShape, Fragile::own(fuse));
    ASSERT_TRUE(made.ok()) << made.error();
    Policy& policy = *made.value();
    Rng rng(3);
    Scratch scratch(policy);
    std::vector<Decision> decisions(13);
    for (int t = 0; t < 13; ++t) {
      const OwnedRound round = round_of(kThrowingShape, t);
      break_everywhere(fuse, policy, [&] {
        const std::uint64_t draws = rng.counter();
        try {
          policy.decide(round.view(), rng, scratch, decisions[static_cast<std::size_t>(t)]).check();
        } catch (...) {
          EXPECT_EQ(rng.counter(), draws);
          throw;
        }
      });
      if (t == 0) continue;  // outcomes come one round late, so that no prediction is fresh
      const OwnedRound last = round_of(kThrowingShape, t - 1);
      const Decision& decision = decisions[static_cast<std::size_t>(t - 1)];
      const Outcome outcome = outcome_of(kThrowingShape, last.view(), decision.action, t - 1);
      const int throws = break_everywhere(
          fuse, policy, [&] { policy.learn(last.view(), decision, outcome).check(); });
      if (throws > 1) twice.insert(spec.substr(0, spec.find('(')));
    }
    EXPECT_EQ(policy.state().rounds, 12);
  }
  for (const char* name : {"ccb", "lincbwk", "optimistic3", "stop"}) {
    EXPECT_TRUE(twice.contains(name)) << name;
  }
}

TEST(Throwing, EveryPolicySaysHowManyRoundsItHadLearned) {
  for_every_case([](const Case& c) {
    if (c.spec == "uniform") return;
    Game game(c);
    game.play(0, 3);
    EXPECT_EQ(game.decision.learned, 2);
  });
}

}  // namespace
}  // namespace rein
