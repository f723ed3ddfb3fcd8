// An error keeps its reason on the way up, however deep it starts.
#include <gtest/gtest.h>

#include "rein/batch.h"
#include "rein/engine.h"
#include "rein/sweep.h"
#include "rein/world.h"

namespace rein {
namespace {

const Shape kShape{.actions = 2, .context = 1, .costs = {{"dollars", {0.0, 1.0}}}};

// Pieces whose makers fail as files do.
Own failing() {
  Own own;
  own.oracles["own"] = [](const Shape&) -> Result<std::unique_ptr<OwnOracle>> {
    return Error{"the model cannot be read", Reason::kFailed};
  };
  return own;
}
Own failing_world() {
  Own own;
  own.worlds["own"] = [](std::uint64_t, std::int64_t) -> Result<std::unique_ptr<OwnWorld>> {
    return Error{"the log cannot be read", Reason::kFailed};
  };
  return own;
}

template <class T>
void expect(const Result<T>& result, Reason reason, std::string_view words) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.reason(), reason) << result.error();
  EXPECT_NE(result.error().find(words), std::string::npos) << result.error();
}

Spec spec(const char* text) { return parse_spec(text).value(); }

TEST(Reason, ComesUpThroughPolicies) {
  for (const char* policy :
       {"ccb(oracle=own)", "squarecb(oracle=stack(of=[vaw,own]))", "loe2d(oracle=own,rounds=9)",
        "lincbwk(oracle=forest(base=own),rate=0.5,rounds=9)", "ccb(oracle=pair(cost=own))",
        "stop(at=3,null=0,of=ccb(oracle=own))", "pgd(oracle=own,rate=0.5,rounds=9)"}) {
    SCOPED_TRACE(policy);
    expect(make_policy(policy, kShape, failing()), Reason::kFailed, "model");
    expect(Engine::make(policy, kShape, {}, failing()), Reason::kFailed, "model");
    const RunOptions options{.rounds = 10, .own = failing()};
    expect(run(spec("linear(k=2,d=2)"), {spec(policy)}, options), Reason::kFailed, "model");
  }
}

TEST(Reason, ComesUpThroughWorlds) {
  for (const char* world : {"own", "subset(of=own)", "scaled(of=subset(of=own))"}) {
    SCOPED_TRACE(world);
    expect(make_world(world, 1, 10, failing_world()), Reason::kFailed, "log");
    const RunOptions options{.rounds = 10, .own = failing_world()};
    expect(run(spec(world), {spec("ccb")}, options), Reason::kFailed, "log");
    expect(compare(spec(world), {spec("ccb")}, {.run = options}), Reason::kFailed, "log");
    expect(play_lines(spec(world), {{spec("ccb"), 1}}, options), Reason::kFailed, "log");
  }
}

// A hard stop that has no null action in a round refuses it in the middle of a run.
TEST(Reason, ComesUpFromTheMiddleOfARun) {
  const auto result = run(spec("subset(of=fixed_context,share=0.3)"),
                          {spec("stop(null=0,of=uniform)")}, {.rounds = 2000});
  expect(result, Reason::kBudget, "round");
}

TEST(Reason, ComesUpThroughBatchesAndExceptions) {
  const EngineOptions hard{.most_open = 1, .hard_budget = {5.0}};
  Engine engine = Engine::make("ccb(budget=5,rounds=10)", kShape, hard).value();
  const double x = 0.5, rewards[] = {0.25}, costs[] = {0.5};
  const Round round{.actions = 2, .context = {&x, 1}};
  const std::uint64_t ids[] = {engine.decide(round).value().id};
  engine.learn(ids[0], {.reward = 1.0, .costs = {0.5}}).check();
  expect(learn_many(engine, ids, rewards, costs), Reason::kConflict, "batch: outcome 0 of 1");
  engine.decide(round).check();
  try {
    (void)engine.decide(round).value();
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.reason(), Reason::kFull);
  }
}

TEST(Reason, ComesUpThroughSnapshots) {
  struct Refusing final : OwnOracle {
    void predict(const Round&, Estimates& estimates) const override {
      for (int h = 0; h < 2; ++h) std::ranges::fill(estimates.mean(h), 0.0);
    }
    void learn(const Round&, int, std::span<const double>) override {}
    void save(ByteWriter& out) const override { out.text("mine"); }
    Result<> load(ByteReader&) override { return Error{"no such file", Reason::kFailed}; }
  };
  Own own;
  own.oracles["own"] = [](const Shape&) { return std::make_unique<Refusing>(); };
  const Engine engine = Engine::make("ccb(budget=5,oracle=own,rounds=10)", kShape, {}, own).value();
  expect(Engine::restore(engine.snapshot(), own), Reason::kFailed, "snapshot: no such file");
  expect(Engine::restore("rein", own), Reason::kCorrupt, "snapshot");
}

}  // namespace
}  // namespace rein
