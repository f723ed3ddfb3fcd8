// The state is a fold over records: the same bits from the beginning and from any snapshot.
#include <gtest/gtest.h>

#include "engine/small.h"
#include "policy/play.h"

namespace rein {
namespace {

EngineOptions busy_options() {
  EngineOptions options{.seed = 9, .most_open = 40, .remember = 30, .expire_after = 25};
  options.default_outcome = Outcome{.reward = -0.5, .costs = {0.25}};
  options.hard_budget = {60.0};
  options.largest_costs = {{0.1}, {0.5}, {1.0}};
  options.safe_action = 0;
  options.safe_cost = {0.0};
  return options;
}

// One step of a long run, number n: a decision, and random other events. The journal gets a record
// of every change.
struct ReplayLife {
  Engine engine;
  std::vector<std::string> journal = {};
  std::vector<std::pair<std::uint64_t, int>> waiting = {};
  std::int64_t now = 0;
  int narrowed = 0;  // decisions for which the hard budget excluded actions
  int refused = 0;   // outcomes that were refused

  void note() {
    if (!engine.record().empty()) journal.emplace_back(engine.record());
  }
  void step(std::uint64_t n) {
    Rng rng(21, n);
    if (auto ticket = decide(engine, n)) {
      narrowed += ticket.value().fitting < 3;
      const bool lost = rng.uniform() < 0.15;
      if (!lost) waiting.emplace_back(ticket.value().id, ticket.value().action);
    }
    note();
    for (int sends = 0; sends < 2 && !waiting.empty(); ++sends) {
      const auto which =
          static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(waiting.size())));
      const auto [id, action] = waiting[which];
      if (rng.uniform() < 0.7) waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(which));
      const double most = action == 0 ? 0.0 : action == 1 ? 0.5 : 1.0;
      const Outcome outcome{.reward = rng.rademacher(), .costs = {most * rng.uniform()}};
      refused += !engine.learn(id, outcome);  // a second one, with other values
      note();
    }
    if (rng.uniform() < 0.3) {
      engine.tick(now += rng.below(8)).check();
      note();
    }
  }
};

Engine replayed_engine() { return small_engine(busy_options()); }

TEST(Replay, TheSameRecordsGiveTheSameHash) {
  ReplayLife life{replayed_engine()};
  Engine replica = replayed_engine();
  std::size_t at = 0;
  for (std::uint64_t n = 0; n < 600; ++n) {
    life.step(n);
    for (; at < life.journal.size(); ++at) replica.fold(life.journal[at]).check();
    ASSERT_EQ(replica.state_hash(), life.engine.state_hash()) << n;
  }
  EXPECT_EQ(replica.snapshot(), life.engine.snapshot());
  const EngineState state = life.engine.state();
  EXPECT_GT(state.expired, 10);
  EXPECT_GT(state.learned, 100);
  EXPECT_GT(life.narrowed, 10);
  EXPECT_GT(life.refused, 10);
  EXPECT_GT(life.journal.size(), 1000U);
}

TEST(Replay, DecodedRecordsFoldAsTheirBytesDo) {
  ReplayLife life{replayed_engine()};
  for (std::uint64_t n = 0; n < 100; ++n) life.step(n);
  Engine replica = replayed_engine();
  for (const std::string& bytes : life.journal) {
    const Record record = decode(bytes).value();
    std::visit([&](const auto& one) { replica.fold(one).check(); }, record);
    ASSERT_EQ(replica.record(), bytes);
  }
  EXPECT_EQ(replica.state_hash(), life.engine.state_hash());
}

TEST(Replay, ResumesFromASnapshotAsIfNothingHadHappened) {
  for (std::uint64_t stop : {0, 1, 57, 300}) {
    ReplayLife through{replayed_engine()};
    ReplayLife stopped{replayed_engine()};
    for (std::uint64_t n = 0; n < stop; ++n) {
      through.step(n);
      stopped.step(n);
    }
    const std::string snapshot = stopped.engine.snapshot();
    stopped.engine = Engine::restore(snapshot).value();
    ASSERT_EQ(stopped.engine.state_hash(), through.engine.state_hash());
    ASSERT_EQ(stopped.engine.snapshot(), snapshot);
    for (std::uint64_t n = stop; n < stop + 200; ++n) {
      through.step(n);
      stopped.step(n);
      ASSERT_EQ(stopped.engine.state_hash(), through.engine.state_hash()) << n;
    }
    EXPECT_EQ(stopped.journal, through.journal);
  }
}

TEST(Replay, ASnapshotAndTheRecordsAfterItAreEnough) {
  ReplayLife life{replayed_engine()};
  for (std::uint64_t n = 0; n < 150; ++n) life.step(n);
  const std::string snapshot = life.engine.snapshot();
  const std::size_t from = life.journal.size();
  for (std::uint64_t n = 150; n < 300; ++n) life.step(n);
  Engine replica = Engine::restore(snapshot).value();
  for (std::size_t i = from; i < life.journal.size(); ++i) replica.fold(life.journal[i]).check();
  EXPECT_EQ(replica.state_hash(), life.engine.state_hash());
}

TEST(Replay, AGapInTheRecordsIsRefused) {
  ReplayLife life{replayed_engine()};
  for (std::uint64_t n = 0; n < 20; ++n) life.step(n);
  Engine replica = replayed_engine();
  auto second = replica.fold(life.journal[1]);
  EXPECT_FALSE(second);
  replica.fold(life.journal[0]).check();
  auto again = replica.fold(life.journal[0]);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.reason(), Reason::kSequence);
}

TEST(Snapshot, CutOrChangedBytesAreRefusedAndLeaveTheEngineAlone) {
  ReplayLife life{replayed_engine()};
  for (std::uint64_t n = 0; n < 60; ++n) life.step(n);
  const std::string snapshot = life.engine.snapshot();
  Engine engine = replayed_engine();
  const std::uint64_t hash = engine.state_hash();
  for (std::size_t size = 0; size < snapshot.size(); size += 13) {
    auto refused = engine.load(std::string_view(snapshot).substr(0, size));
    ASSERT_FALSE(refused);
    ASSERT_EQ(refused.reason(), Reason::kCorrupt);
    ASSERT_FALSE(Engine::restore(std::string_view(snapshot).substr(0, size)));
  }
  std::string changed = snapshot;
  for (std::size_t at = 0; at < snapshot.size(); at += 5) {
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    ASSERT_FALSE(engine.load(changed)) << at;
    changed[at] = snapshot[at];
  }
  EXPECT_EQ(engine.state_hash(), hash);
  engine.load(snapshot).check();
  EXPECT_EQ(engine.state_hash(), life.engine.state_hash());
}

TEST(Snapshot, OfAnotherEngineIsRefused) {
  Engine engine = replayed_engine();
  EngineOptions options = busy_options();
  options.seed = 10;
  const Engine other = small_engine(options);
  auto refused = engine.load(other.snapshot());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.reason(), Reason::kInvalid);
  EXPECT_FALSE(engine.load(""));
  EXPECT_FALSE(Engine::restore(engine.policy().save()));
}

TEST(Snapshot, CarriesSpecShapeAndOptions) {
  const Engine again = Engine::restore(replayed_engine().snapshot()).value();
  EXPECT_EQ(again.policy().spec().str(), replayed_engine().policy().spec().str());
  EXPECT_EQ(again.policy().shape().costs[0].name, "dollars");
  EXPECT_EQ(again.options().seed, 9U);
  EXPECT_EQ(again.options().largest_costs, busy_options().largest_costs);
  EXPECT_EQ(again.options().safe_action, 0);
  EXPECT_EQ(again.options().default_outcome->reward, -0.5);
}

// Every change of the state changes the hash. restore() computes the hash again and refuses a
// snapshot whose hash differs.
TEST(Snapshot, EveryPartOfTheStateIsInTheHash) {
  ReplayLife life{replayed_engine()};
  for (std::uint64_t n = 0; n < 100; ++n) life.step(n);
  std::uint64_t hash = life.engine.state_hash();
  const auto expect_new = [&](const char* what) {
    EXPECT_NE(life.engine.state_hash(), hash) << what;
    hash = life.engine.state_hash();
    EXPECT_EQ(Engine::restore(life.engine.snapshot()).value().state_hash(), hash) << what;
  };
  life.engine.tick(life.now + 1).check();
  expect_new("the clock");
  const std::uint64_t id = decided(life.engine, 1);
  expect_new("a decision");
  life.engine.learn(id, {.reward = 0, .costs = {0}}).check();
  expect_new("an outcome");
  life.engine.tick(life.now + 100).check();
  expect_new("expiry");
}

// A decision of this engine is trusted; one from a journal is checked. Both must accept the same:
// for every policy, rounds of every shape, and late outcomes.
TEST(Replay, EveryPolicyIsRebuiltFromItsRecords) {
  for_every_case([](Case c) {
    // An engine wants a budget for costs that cannot be negative.
    const auto refused = Engine::make(c.spec, c.shape);
    if (!refused &&
        refused.error().find("no budget that the policy follows") != std::string::npos) {
      for (const CostShape& cost : c.shape.costs)
        c.shape.budgets.push_back(100.0 * cost.range.high);
    }
    Engine engine = Engine::make(c.spec, c.shape).value();
    Engine replica = Engine::make(c.spec, c.shape).value();
    std::vector<std::pair<std::uint64_t, Outcome>> sent;
    const auto copied = [&] { replica.fold(std::string(engine.record())).check(); };
    for (int t = 0; t < 24; ++t) {
      const OwnedRound round = round_of(c.shape, t);
      const Engine::Decision ticket = engine.decide(round.view()).value();
      const Shape& shape = engine.policy().shape();  // narrower where costs cannot be negative
      sent.emplace_back(ticket.id, outcome_of(shape, round.view(), ticket.action, t));
      copied();
      if (t < 4) continue;
      const auto& [id, outcome] = sent[static_cast<std::size_t>(t) - 4];
      engine.learn(id, outcome).check();
      copied();
    }
    EXPECT_EQ(replica.state_hash(), engine.state_hash());
  });
}

// The policy cannot tell the two outcomes apart, but the engine must.
TEST(Replay, TheHashKnowsWhichOutcomeWasWhose) {
  const auto hash_of = [](double first, double second) {
    Engine engine = Engine::make("uniform", small_shape()).value();
    const std::uint64_t one = decided(engine), two = decided(engine);
    engine.learn(one, {.reward = first, .costs = {0.0}}).check();
    engine.learn(two, {.reward = second, .costs = {0.0}}).check();
    return std::pair(engine.policy().save(), engine.state_hash());
  };
  EXPECT_EQ(hash_of(0.25, 0.5).first, hash_of(0.5, 0.25).first);
  EXPECT_NE(hash_of(0.25, 0.5).second, hash_of(0.5, 0.25).second);
}

// The version is looked at before the hash, which another version may make in another way.
TEST(Versions, OtherOnesAreRefusedByName) {
  Engine engine = small_engine();
  decided(engine);
  std::string record(engine.record());
  record[4] = 1;  // the upper half of the first word
  const auto folded = engine.fold(record);
  ASSERT_FALSE(folded);
  EXPECT_EQ(folded.reason(), Reason::kCorrupt);
  EXPECT_EQ(folded.error(), "record: found version 1; accepted: version 4");

  std::string snapshot = engine.snapshot();
  snapshot[8 + std::string_view("rein engine").size()] = 2;
  const auto restored = Engine::restore(snapshot);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error(), "snapshot: found version 2; accepted: version 6 to 8");
}

}  // namespace
}  // namespace rein
