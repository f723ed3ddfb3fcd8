// Oracles and policies that the caller brings, in an engine: snapshots hold what they learned, and
// engines in several threads need no lock between them.
#include <gtest/gtest.h>

#include <thread>

#include "engine/small.h"

namespace rein {
namespace {

// The mean outcome of each action id. Nothing but its sums and counts.
struct Means final : OwnOracle {
  explicit Means(const Shape& shape)
      : actions(static_cast<std::size_t>(shape.actions)),
        sums(actions * static_cast<std::size_t>(shape.heads())),
        counts(actions, 1.0) {}
  void predict(const Round& round, Estimates& estimates) const override {
    for (int h = 0; h < estimates.heads(); ++h) {
      for (int a = 0; a < round.actions; ++a) {
        const auto id = static_cast<std::size_t>(round.id(a));
        estimates.mean(h)[a] = sums[static_cast<std::size_t>(h) * actions + id] / counts[id];
      }
    }
  }
  void learn(const Round& round, int action, std::span<const double> outcomes) override {
    const auto id = static_cast<std::size_t>(round.id(action));
    for (std::size_t h = 0; h < outcomes.size(); ++h) sums[h * actions + id] += outcomes[h];
    counts[id] += 1.0;
  }
  void save(ByteWriter& out) const override { out.parts(sums, counts); }
  Result<> load(ByteReader& in) override {
    in.parts(sums, counts);
    return in.status();
  }
  std::size_t actions;
  std::vector<double> sums, counts;
};

// Plays an action in proportion to how often it was played.
struct Habit final : OwnPolicy {
  explicit Habit(const Shape& shape) : counts(static_cast<std::size_t>(shape.actions), 1.0) {}
  void choose(const Round& round, const Costs&, std::span<double> p) const override {
    double sum = 0.0;
    for (int a = 0; a < round.actions; ++a) sum += p[a] = counts[round.id(a)];
    for (double& one : p) one /= sum;
  }
  void learn(const Round& round, int action, double, const Outcome&) override {
    counts[round.id(action)] += 1.0;
  }
  void save(ByteWriter& out) const override { out.parts(counts); }
  Result<> load(ByteReader& in) override {
    in.parts(counts);
    return in.status();
  }
  std::vector<double> counts;
};

Own means() {
  Own own;
  own.oracles["own"] = [](const Shape& shape) { return std::make_unique<Means>(shape); };
  return own;
}
Own habit() {
  Own own;
  own.policies["own"] = [](const Shape& shape) { return std::make_unique<Habit>(shape); };
  return own;
}

void play_own(Engine& engine, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t n = from; n < to; ++n) {
    const Engine::Decision ticket = decide(engine, n).value();
    const double reward = ticket.action == 1 ? 0.8 : 0.2;
    engine.learn(ticket.id, {.reward = reward, .costs = {0.25}}).value();
  }
}

struct Brought {
  const char* spec;
  Own own;
};
std::vector<Brought> all_brought() {
  return {{"ccb(oracle=own,rate=0.3,u=5)", means()},
          {"ccb(oracle=stack(of=[vaw,own]),rate=0.3)", means()},
          {"own", habit()},
          {"stop(at=100,null=0,of=own)", habit()}};
}

TEST(Own, ASnapshotHoldsWhatAPieceLearned) {
  for (const Brought& brought : all_brought()) {
    SCOPED_TRACE(brought.spec);
    Engine engine = Engine::make(brought.spec, small_shape(), {}, brought.own).value();
    play_own(engine, 0, 30);
    const std::string snapshot = engine.snapshot();
    Engine again = Engine::restore(snapshot, brought.own).value();
    EXPECT_EQ(again.state_hash(), engine.state_hash());
    play_own(engine, 30, 60);
    play_own(again, 30, 60);
    EXPECT_EQ(again.snapshot(), engine.snapshot());
    ASSERT_TRUE(again.load(snapshot).ok());
    EXPECT_EQ(again.snapshot(), snapshot);
    EXPECT_FALSE(Engine::restore(snapshot).ok());
  }
}

TEST(Own, TheStateHashSeesWhatAPieceLearned) {
  Engine one = Engine::make("own", small_shape(), {}, habit()).value();
  Own odd;
  odd.policies["own"] = [](const Shape& shape) {
    auto made = std::make_unique<Habit>(shape);
    made->counts[0] += 1.0;
    return made;
  };
  EXPECT_NE(Engine::make("own", small_shape(), {}, odd).value().state_hash(), one.state_hash());
}

TEST(Own, TheSameNameInSeveralThreadsIsEachCallersPiece) {
  std::vector<std::uint64_t> hashes(4);
  std::vector<std::thread> threads;
  for (std::uint64_t& hash : hashes) {
    threads.emplace_back([&hash] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        Engine engine =
            Engine::make("ccb(oracle=own,rate=0.3,u=5)", small_shape(), {}, means()).value();
        play_own(engine, 0, 40);
        hash = engine.state_hash();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

}  // namespace
}  // namespace rein
