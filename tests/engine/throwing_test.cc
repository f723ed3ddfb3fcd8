// An oracle of the caller's that throws at any call. The engine stays as it was, byte for byte, and
// the records match what happened.
#include <gtest/gtest.h>

#include "engine/small.h"
#include "policy/fragile.h"

namespace rein {
namespace {

constexpr const char* kSpecs[] = {
    "ccb(alarm=1,oracle=own(name=fragile),rate=0.3)",
    "ccb(alarm=1,oracle=stack(of=[vaw,own(name=fragile)]),rate=0.3)",
    "optimistic3(oracle=own(name=fragile),rate=0.3,rounds=100)",
    "lincbwk(explore=4,oracle=stack(of=[vaw,own(name=fragile)]),rate=0.3,rounds=100)",
};

// As in the tests of policies: runs `work` with every call of the oracle failing once.
template <class Work>
int break_everywhere(Fragile::Fuse& fuse, Engine& engine, const Work& work) {
  const std::string before = engine.snapshot();
  for (int calls = 0;; ++calls) {
    fuse.calls = calls;
    try {
      work();
      fuse.calls = -1;
      return calls;
    } catch (const std::runtime_error&) {
      EXPECT_EQ(engine.snapshot() == before, true) << "after " << calls << " calls";
      EXPECT_EQ(engine.record(), "");
    }
    if (calls > 1000) return calls;
  }
}

TEST(Throwing, LeavesTheEngineAsItWas) {
  for (const char* spec : kSpecs) {
    SCOPED_TRACE(spec);
    Fragile::Fuse fuse;
    const EngineOptions options{.expire_after = 5,
                                .default_outcome = Outcome{.reward = 0.1, .costs = {0.2}},
                                .hard_budget = {50.0}};
    Engine engine = Engine::make(spec, small_shape(), options, Fragile::own(fuse)).value();
    std::int64_t clock = 0;
    std::vector<std::uint64_t> ids;
    for (std::uint64_t n = 0; n < 12; ++n) {
      const std::vector<double> x = context_of(n);
      EXPECT_GT(break_everywhere(
                    fuse, engine,
                    [&] { ids.push_back(engine.decide({.actions = 3, .context = x}).value().id); }),
                0);
      if (n % 2 == 0 || ids.size() < 3) continue;
      const std::uint64_t id = ids[ids.size() - 3];  // two rounds late
      EXPECT_GT(
          break_everywhere(fuse, engine,
                           [&] { engine.learn(id, {.reward = 0.5, .costs = {0.25}}).value(); }),
          0);
      clock += 1;
      engine.tick(clock).value();
    }
    const std::int64_t open = engine.state().open;
    ASSERT_GE(open, 3);
    // All of them expire in one tick. If one throws, those before it are undone.
    EXPECT_GE(break_everywhere(fuse, engine, [&] { engine.tick(100).value(); }),
              static_cast<int>(open));
    EXPECT_EQ(engine.state().open, 0);
    EXPECT_EQ(engine.state().now, 100);
  }
}

}  // namespace
}  // namespace rein
