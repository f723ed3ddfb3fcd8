// A potential that the caller brings, in an engine: a snapshot needs the same one again, and
// records replay with it.
#include <gtest/gtest.h>

#include "engine/small.h"
#include "square_potential.h"

namespace rein {
namespace {

constexpr const char* kSpec = "ccb(pricer=own,rounds=1000,setting=expectation,tuning=theory)";

TEST(OwnPotential, ASnapshotGoesOnWithTheSameOneAndNoOther) {
  Engine engine = Engine::make(kSpec, small_shape(), {}, square(3.0)).value();
  std::vector<std::string> records;
  for (std::uint64_t n = 0; n < 20; ++n) {
    const std::uint64_t id = decided(engine, n);
    records.emplace_back(engine.record());
    engine.learn(id, {.reward = 0.5, .costs = {0.5}}).value();
    records.emplace_back(engine.record());
  }
  const std::string snapshot = engine.snapshot();
  Engine again = Engine::restore(snapshot, square(3.0)).value();
  EXPECT_EQ(again.state_hash(), engine.state_hash());
  EXPECT_EQ(decide(again, 20).value().prices, decide(engine, 20).value().prices);
  EXPECT_TRUE(again.load(snapshot).ok());
  EXPECT_NE(Engine::restore(snapshot, square(4.0)).error().find("with other slopes"),
            std::string::npos);
  EXPECT_NE(Engine::restore(snapshot).error().find("none was brought"), std::string::npos);

  Engine replayed = Engine::make(kSpec, small_shape(), {}, square(3.0)).value();
  for (const std::string& record : records) replayed.fold(record).check();
  EXPECT_EQ(replayed.state_hash(), again.state_hash());
  Engine other = Engine::make(kSpec, small_shape(), {}, square(4.0)).value();
  for (const std::string& record : records) other.fold(record).check();
  EXPECT_NE(other.state_hash(), again.state_hash());  // so a replay can tell
}

}  // namespace
}  // namespace rein
