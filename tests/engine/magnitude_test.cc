// The largest accepted features, snapshots that ask for more than they hold, and counts that no
// engine can reach.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstring>

#include "engine/hash.h"
#include "engine/small.h"
#include "rein/bytes.h"

namespace rein {
namespace {

using ::testing::HasSubstr;

TEST(Magnitudes, AnEngineOutlivesTheLargestFeatures) {
  Shape shape = small_shape();
  shape.context = 7;
  shape.features = 8;
  for (const char* policy :
       {"ccb(setting=expectation)", "greedy(oracle=ons)", "pacer(budget=100,rounds=1000)",
        "ccb(budget=100,rounds=1000,tuning=theory)", "greedy"}) {
    SCOPED_TRACE(policy);
    Engine engine = Engine::make(policy, shape).value();
    Rng rng(1);
    for (int t = 0; t < 200; ++t) {
      std::vector<double> x(7), f(24);
      for (std::vector<double>* numbers : {&x, &f}) {
        for (double& value : *numbers) {
          value = rng.uniform() < 0.3 ? rng.rademacher() * kMaxNumber : rng.uniform();
        }
      }
      const auto ticket = engine.decide({.actions = 3, .context = x, .features = f});
      ASSERT_TRUE(ticket.ok()) << t << ": " << ticket.error();
      double sum = 0.0;
      for (double p : ticket.value().probabilities) sum += p;
      ASSERT_NEAR(sum, 1.0, 1e-12) << t;
      for (int h = 0; h < ticket.value().estimates->heads(); ++h) {
        for (double mean : ticket.value().estimates->mean(h)) ASSERT_TRUE(std::isfinite(mean)) << t;
      }
      if (t % 3 == 2) continue;  // some stay open
      engine.learn(ticket.value().id, {.reward = rng.uniform(), .costs = {rng.uniform()}}).check();
    }
    const Costs reserved = engine.state().reserved;
    EXPECT_GE(reserved[0], 0.0);
    EXPECT_LE(reserved[0], 67.0);
    const auto restored = Engine::restore(engine.snapshot());
    ASSERT_TRUE(restored.ok()) << restored.error();
    EXPECT_EQ(restored.value().state_hash(), engine.state_hash());
  }
}

// A snapshot with one word changed and its hash computed again.
std::string with_word(std::string snapshot, std::size_t at, std::uint64_t word) {
  std::memcpy(snapshot.data() + at, &word, sizeof word);
  const std::uint64_t hash = hash_of(std::string_view(snapshot).substr(0, snapshot.size() - 8));
  std::memcpy(snapshot.data() + snapshot.size() - 8, &hash, sizeof hash);
  return snapshot;
}

Engine played_engine(const char* policy, const Shape& shape, const EngineOptions& options = {}) {
  Engine engine = Engine::make(policy, shape, options).value();
  for (std::uint64_t n = 0; n < 6; ++n) {
    const std::uint64_t id = decided(engine, n);
    if (n % 2 == 0) engine.learn(id, {.reward = 0.5, .costs = {0.5}}).check();
  }
  return engine;
}

std::int64_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Replaces words at every place with values that a size or a count could have. None may use much
// memory, and none may cause undefined behaviour (checked under the sanitizers).
TEST(Snapshots, AForgedOneTakesNoMoreMemoryThanItsBytesJustify) {
  for (const char* policy :
       {kSmallPolicy, "ccb(budget=9,rounds=99)", "optimistic3(budget=9,rounds=99)",
        "greedy(oracle=ons)", "greedy(oracle=adagrad)", "greedy(oracle=mlp)",
        "squarecbwk(budget=9,rounds=99,stages=2)", "stop(at=5,null=0,of=uniform)"}) {
    SCOPED_TRACE(policy);
    const std::string good = played_engine(policy, small_shape()).snapshot();
    ASSERT_TRUE(Engine::restore(good).ok());
    const std::int64_t before = peak_kilobytes();
    const std::size_t step = sanitized() ? 13 : 1;
    const std::size_t end = std::min<std::size_t>(good.size() - 16, 700);
    for (std::size_t at = 0; at < end; at += step) {
      for (std::uint64_t word : {std::uint64_t{1'000'000}, std::uint64_t{1} << 24,
                                 std::uint64_t{1} << 26, std::uint64_t{INT64_MAX}}) {
        const auto restored = Engine::restore(with_word(good, at, word));
        EXPECT_TRUE(restored.ok() || !restored.error().empty());
      }
    }
    EXPECT_LT(peak_kilobytes() - before, 600'000) << "kB";
  }
}

// A tree is small in a snapshot however large it may grow: 1.6 GB here.
TEST(Snapshots, TreesTakeMemoryAsTheyGrow) {
  const std::int64_t before = peak_kilobytes();
  const Engine engine =
      played_engine("greedy(oracle=forest(nodes=1048576,trees=4))", small_shape());
  const auto restored = Engine::restore(engine.snapshot());
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(restored.value().state_hash(), engine.state_hash());
  EXPECT_TRUE(sanitized() || peak_kilobytes() - before < 100'000) << "kB";
}

// What is drawn again from a seed stands in no snapshot, so it has a limit of its own.
TEST(Snapshots, WavesThatAreDrawnAgainHaveALimit) {
  Shape wide = small_shape();
  wide.context = 1'000'000;
  const auto made = make_policy("greedy(oracle=kernel(kind=fourier,linear=0,size=4096))", wide);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error(), HasSubstr("frequencies; kernel takes at most 67108864"));
}

TEST(Snapshots, CountsThatNoEngineReachesAreRefused) {
  const Engine engine = played_engine("optimistic3(budget=9,rounds=99)", small_shape());
  const std::string good = engine.snapshot();
  // `learned` and `expired` are the fourth and fifth word after the config and the rules.
  ByteReader in(good);
  in.tag("rein engine");
  in.i64();
  in.text();
  in.i64();  // the rules
  const std::size_t counts = good.size() - in.left();
  for (std::size_t which : {1U, 3U, 4U}) {
    for (std::uint64_t word : {std::uint64_t{INT64_MAX}, std::uint64_t{1} << 63}) {
      const auto restored = Engine::restore(with_word(good, counts + 8 * which, word));
      ASSERT_FALSE(restored.ok());
      EXPECT_THAT(restored.error(), HasSubstr("a count of")) << which;
    }
  }
}

// The memory of `remember` is reserved at once, and used as it fills.
TEST(Snapshots, RememberingManyTakesMemoryAsItFills) {
  const std::int64_t before = peak_kilobytes();
  const Engine engine =
      played_engine(kSmallPolicy, small_shape(), {.remember = std::int64_t{1} << 26});
  EXPECT_EQ(engine.state().remembered, 3);
  const auto restored = Engine::restore(engine.snapshot());
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(restored.value().state_hash(), engine.state_hash());
  EXPECT_TRUE(sanitized() || peak_kilobytes() - before < 200'000) << "kB";
}

TEST(HardBudget, CostsWithoutALimitAreNeverRefusedForTheirSize) {
  Shape shape = small_shape();
  shape.costs.push_back({.name = "bytes", .range = {0.0, 4.6e12}});
  shape.costs.push_back({.name = "flops", .range = {-1e30, 1e30}});
  EngineOptions options;
  options.hard_budget = {100.0, INFINITY, INFINITY};
  Engine engine = Engine::make("ccb(setting=expectation,rounds=100)", shape, options).value();
  std::vector<std::uint64_t> ids;
  for (std::uint64_t n = 0; n < 20; ++n) {
    const auto ticket = decide(engine, n);
    ASSERT_TRUE(ticket.ok()) << ticket.error();
    ids.push_back(ticket.value().id);
  }
  for (std::uint64_t id : ids) {
    const auto learned = engine.learn(id, {.reward = 0, .costs = {0.5, 4.6e12, -1e30}});
    ASSERT_TRUE(learned.ok()) << learned.error();
  }
  EXPECT_EQ(engine.state().budgets[0].spent, 10'000'000);
  EXPECT_DOUBLE_EQ(engine.state().billed[2], 20 * -1e30);
  const auto restored = Engine::restore(engine.snapshot());
  ASSERT_TRUE(restored.ok()) << restored.error();
  EXPECT_EQ(restored.value().state_hash(), engine.state_hash());
}

// 4096 costs slightly above a whole number of micro-units, against their exact sum.
TEST(HardBudget, IsNotPassedByWhatRoundingLeavesOut) {
  const double cost = 549755.81388800044;
  const long double exact = 4096.0L * cost;  // 65 bits hold it
  Shape shape = small_shape();
  shape.costs[0].range.high = cost;
  EngineOptions options{.most_open = 5000};
  options.hard_budget = {static_cast<double>(4096.0L * 549755.813888L)};  // too little by 1.885e-6
  Engine engine = Engine::make("uniform", shape, options).value();
  long double spent = 0.0L;
  for (std::uint64_t n = 0; n < 4096; ++n) {
    const auto ticket = decide(engine, n);
    if (!ticket) break;
    engine.learn(ticket.value().id, {.reward = 0, .costs = {cost}}).check();
    spent += cost;
  }
  EXPECT_LT(spent, exact);
  EXPECT_LE(spent, static_cast<long double>(options.hard_budget[0]));
}

}  // namespace
}  // namespace rein
