// Rows with names: encoded when they are decided on, observed by records.
#include <gtest/gtest.h>

#include <array>

#include "engine/small.h"
#include "rein/batch.h"

namespace rein {
namespace {

std::shared_ptr<const Schema> schema_of() {
  return std::make_shared<const Schema>(
      Schema::make({{"age", "number"}, {"country", "category(2)"}}).value());
}

Engine engine_of_rows() {
  Shape shape = small_shape();
  EngineOptions options{.schema = schema_of()};
  shape.context = options.schema->size();
  return Engine::make("ccb(rate=0.1)", shape, options).value();
}

std::array<Cell, 2> row_of(int n) {
  constexpr std::array kCountries{"DE", "FR", "IT"};
  return {Cell::of(20.0 + n % 7), Cell::of(kCountries[static_cast<std::size_t>(n % 3)])};
}

void play_rows(Engine& engine, int from, int to, Engine* twin = nullptr) {
  for (int n = from; n < to; ++n) {
    const auto row = row_of(n);
    const std::uint64_t id = engine.decide({.actions = 3}, {.row = row}).value().id;
    if (twin != nullptr) twin->fold(engine.record()).check();
    engine.learn(id, {.reward = 0.5, .costs = {0.1}}).check();
    if (twin != nullptr) twin->fold(engine.record()).check();
  }
}

TEST(Rows, AreTakenByTheSchema) {
  Engine engine = engine_of_rows();
  Schema alone = *schema_of();
  Scratch scratch;
  DecideRecord record;
  for (int n = 0; n < 20; ++n) {
    const auto row = row_of(n);
    std::vector<double> x(static_cast<std::size_t>(alone.size()));
    alone.take(row, x).check();
    engine.choose({.actions = 3}, scratch, record, {.row = row}).check();
    EXPECT_EQ(record.round.context, x);
    engine.decide({.actions = 3}, {.row = row}).value();
  }
  EXPECT_EQ(engine.schema()->snapshot(), alone.snapshot());
}

TEST(Rows, ReplayAndSnapshotsObserveTheSame) {
  Engine engine = engine_of_rows(), twin = engine_of_rows();
  play_rows(engine, 0, 30, &twin);
  Engine middle = Engine::restore(engine.snapshot()).value();
  EXPECT_EQ(middle.state_hash(), engine.state_hash());
  play_rows(engine, 30, 60, &twin);
  play_rows(middle, 30, 60);
  EXPECT_EQ(engine.state_hash(), twin.state_hash());
  EXPECT_EQ(engine.state_hash(), middle.state_hash());
  EXPECT_EQ(engine.schema()->snapshot(), twin.schema()->snapshot());
}

TEST(Rows, ManyAtOnceAreTheSame) {
  Engine one = engine_of_rows(), many = engine_of_rows();
  std::vector<Cell> ages, countries;
  for (int n = 0; n < 25; ++n) {
    const auto row = row_of(n);
    one.decide({.actions = 3}, {.row = row}).value();
    ages.push_back(row[0]);
    countries.push_back(row[1]);
  }
  const std::array<ColumnValues, 2> columns{ColumnValues{.cells = ages},
                                            ColumnValues{.cells = countries}};
  EXPECT_EQ(decide_many(many, {.rounds = 25, .actions = 3, .columns = columns}, {}).value(), 25);
  EXPECT_EQ(one.state_hash(), many.state_hash());
}

TEST(Rows, RefusedOnesChangeNothing) {
  Engine engine = engine_of_rows();
  play_rows(engine, 0, 5);
  const std::uint64_t before = engine.state_hash();
  const std::array<Cell, 2> wrong{Cell::of("old"), Cell::of("DE")};
  EXPECT_NE(engine.decide({.actions = 3}, {.row = wrong}).error().find("age"), std::string::npos);
  const auto row = row_of(1);
  const std::vector<double> x(static_cast<std::size_t>(engine.policy().shape().context));
  EXPECT_FALSE(engine.decide({.actions = 3, .context = x}, {.row = row}).ok()) << "both";
  std::vector<Cell> ages{Cell::of(1.0), Cell::of("old")}, countries(2);
  const std::array<ColumnValues, 2> columns{ColumnValues{.cells = ages},
                                            ColumnValues{.cells = countries}};
  EXPECT_NE(decide_many(engine, {.rounds = 2, .actions = 3, .columns = columns}, {})
                .error()
                .find("round 1"),
            std::string::npos);
  EXPECT_EQ(engine.state_hash(), before);
  Engine plain = small_engine();
  EXPECT_NE(plain.decide({.actions = 3}, {.row = row}).error().find("no schema"),
            std::string::npos);
}

TEST(Rows, TheContextMustBeOfItsSize) {
  const auto made = Engine::make("ccb(rate=0.1)", small_shape(), {.schema = schema_of()});
  EXPECT_NE(made.error().find("the schema makes"), std::string::npos);
}

}  // namespace
}  // namespace rein
