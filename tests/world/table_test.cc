// World `table`: the rows of a file, in file order or in a random order drawn from the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "property.h"
#include "source_dir.h"
#include "temp_file.h"
#include "world/worlds.h"

namespace rein {
namespace {

const std::string kCoupons = source_dir() + "/examples/data/coupons.csv";

std::string numbered_rows(int rows) {
  std::string text = "x_id,r0,r1,c0,c1\n";
  for (int i = 0; i < rows; ++i) {
    text += fmt::format("{},{},{},{},{}\n", i, i % 2, (i + 1) % 2, 1e-5 * i, -1e-5 * i);
  }
  return text;
}

std::unique_ptr<World> table_of(const std::string& path, std::string_view keys = "",
                                std::uint64_t seed = 1, std::int64_t rounds = 0) {
  const std::string spec =
      fmt::format("table(file=\"{}\"{}{})", path, keys.empty() ? "" : ",", keys);
  return make_world(std::string_view(spec), seed, rounds).value();
}

std::string error_of(const std::string& path, std::string_view keys, std::int64_t rounds) {
  try {
    table_of(path, keys, 1, rounds);
    return "accepted";
  } catch (const Failure& failure) {
    std::string message = failure.what();
    const auto at = message.find(path);
    return at == std::string::npos ? message : message.replace(at, path.size(), "FILE");
  }
}

// The first number of every context.
std::vector<int> ids_of(World& world, std::int64_t rounds) {
  std::vector<int> ids;
  for (std::int64_t t = 0; t < rounds; ++t)
    ids.push_back(static_cast<int>(world.next().context[0]));
  return ids;
}

TEST(Table, ShowsTheRowAndOnlyTheRow) {
  const TempFile file("x_a,x_b,r0,r1,c0,c1,lat\n.1,.2,.3,.4,.5,.6,.7\n");
  const auto world = table_of(file.path(), "cost=[c,lat],rate=[0.5,0.25]");
  const Shape& shape = world->shape();
  EXPECT_EQ(shape.actions, 2);
  EXPECT_EQ(shape.context, 2);
  EXPECT_EQ(shape.features, 0);
  EXPECT_EQ(shape.rounds, 1);
  EXPECT_EQ(shape.budgets, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(shape.truth, nullptr);
  EXPECT_EQ(shape.functions, nullptr);
  const Round& round = world->next();
  EXPECT_EQ(std::vector<double>(round.context.begin(), round.context.end()),
            (std::vector<double>{.1, .2}));
  EXPECT_EQ(means_of(*world, 2), (std::vector<double>{.3, .4, .5, .6, .7, .7}));
  std::vector<double> highest(4);
  EXPECT_TRUE(world->highest(highest));
  EXPECT_EQ(highest, (std::vector<double>{.5, .6, .7, .7}));
  Outcome outcome;
  world->outcome(1, outcome);
  EXPECT_EQ(outcome.reward, .4);
  EXPECT_EQ(outcome.costs, Costs({.6, .7}));
}

TEST(Table, RangesBecomeTheShapes) {
  const TempFile file("r0,c0\n3,7\n");
  const auto world = table_of(file.path(), "reward_range=[0,5],cost_range=[0,9],names=dollars");
  EXPECT_EQ(world->shape().reward, (Range{0, 5}));
  EXPECT_EQ(world->shape().costs[0].range, (Range{0, 9}));
  EXPECT_EQ(world->shape().costs[0].name, "dollars");
}

TEST(Table, BudgetsAreATotalOrARound) {
  const auto budgets = [](std::string_view keys, std::int64_t rounds) {
    return table_of(kCoupons, keys, 1, rounds)->shape().budgets;
  };
  EXPECT_EQ(budgets("rate=0.2", 0), std::vector<double>{100.0});  // of 500 rows
  EXPECT_EQ(budgets("rate=0.2", 50), std::vector<double>{10.0});
  EXPECT_EQ(budgets("rate=0.2,order=file", 0), std::vector<double>{100.0});
  EXPECT_EQ(budgets("budget=30", 50), std::vector<double>{30.0});
  EXPECT_EQ(budgets("rate=0", 50), std::vector<double>{0.0});
  EXPECT_TRUE(budgets("", 50).empty());
}

TEST(Table, RoundsAreTheRowsUnlessFewerAreAskedFor) {
  for (const char* order : {"order=file", "order=shuffled"}) {
    EXPECT_EQ(table_of(kCoupons, order)->shape().rounds, 500);
    EXPECT_EQ(table_of(kCoupons, order, 1, 499)->shape().rounds, 499);
    EXPECT_EQ(table_of(kCoupons, order, 1, 500)->shape().rounds, 500);
    EXPECT_EQ(
        error_of(kCoupons, order, 501),
        "table FILE: has 500 rows, and 501 rounds are asked for; accepted: at most 500, 0 for "
        "all of them, or repeat=1");
    EXPECT_EQ(table_of(kCoupons, std::string(order) + ",repeat=1", 1, 501)->shape().rounds, 501);
  }
}

TEST(Table, FileOrderIsTheFiles) {
  const TempFile file(numbered_rows(100));
  std::vector<int> expected(100);
  for (int i = 0; i < 100; ++i) expected[i] = i;
  EXPECT_EQ(ids_of(*table_of(file.path(), "order=file", 1), 100), expected);
  EXPECT_EQ(ids_of(*table_of(file.path(), "order=file", 2), 100), expected);
}

TEST(Table, ShufflesArePermutationsDrawnByTheSeed) {
  const TempFile file(numbered_rows(100));
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto order = ids_of(*table_of(file.path(), "", seed), 100);
    EXPECT_EQ(ids_of(*table_of(file.path(), "", seed), 100), order);
    EXPECT_EQ(ids_of(*table_of(file.path(), "", seed, 30), 30),
              std::vector<int>(order.begin(), order.begin() + 30));
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < 100; ++i) ASSERT_EQ(sorted[i], i);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 50U);
}

// 6 orders of 3 rows, 6000 seeds: each count is binomial, mean 1000, sd 29; 5 sd.
TEST(Table, EveryOrderIsAsLikely) {
  const TempFile file(numbered_rows(3));
  std::map<std::vector<int>, int> counts;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    ++counts[ids_of(*table_of(file.path(), "", seed), 3)];
  }
  EXPECT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 145);
}

TEST(Table, RepeatGoesRoundAgainInANewOrder) {
  const TempFile file(numbered_rows(20));
  const auto shuffled = ids_of(*table_of(file.path(), "repeat=1", 3, 60), 60);
  std::set<std::vector<int>> passes;
  for (int pass = 0; pass < 3; ++pass) {
    std::vector<int> ids(shuffled.begin() + 20 * pass, shuffled.begin() + 20 * (pass + 1));
    passes.insert(ids);
    EXPECT_EQ(std::set<int>(ids.begin(), ids.end()).size(), 20U);
  }
  EXPECT_EQ(passes.size(), 3U);
  const auto kept = ids_of(*table_of(file.path(), "repeat=1,order=file", 3, 60), 60);
  for (int t = 0; t < 60; ++t) EXPECT_EQ(kept[t], t % 20);
}

TEST(Table, PastItsEndItThrows) {
  const TempFile file(numbered_rows(3));
  for (const char* order : {"order=file", "order=shuffled"}) {
    const auto world = table_of(file.path(), order);
    ids_of(*world, 3);
    EXPECT_THROW(world->next(), Failure);
    EXPECT_THROW(world->next(), Failure);
  }
}

// The same rows, whether streamed or loaded, plain or gzip.
TEST(Table, StreamedAndLoadedRowsAreTheSame) {
  EXPECT_TRUE(rc::check("streamed and loaded", [] {
    const int rows = *rc::gen::inRange(1, 40);
    std::string text = "x_id,r0,r1,c0,c1\n";
    for (int i = 0; i < rows; ++i) {
      text += fmt::format("{}", i);
      for (int j = 0; j < 4; ++j)
        text += fmt::format(",{}", 0.001 * *rc::gen::inRange(-1000, 1001));
      text += '\n';
    }
    const TempFile plain(text);
    const TempFile zipped(gzipped(text), ".csv.gz");
    std::vector<std::vector<double>> traces;
    for (const TempFile* file : {&plain, &zipped}) {
      const auto streamed = table_of(file->path(), "order=file");
      const auto loaded = table_of(file->path(), "", *rc::gen::arbitrary<std::uint64_t>());
      std::vector<std::vector<double>> by_row(static_cast<std::size_t>(rows));
      for (int t = 0; t < rows; ++t) {
        const Round& round = loaded->next();
        add_round(*loaded, round, by_row[static_cast<std::size_t>(round.context[0])]);
      }
      std::vector<double> trace;
      for (int t = 0; t < rows; ++t) add_round(*streamed, streamed->next(), trace);
      std::vector<double> sorted;
      for (const auto& row : by_row) sorted.insert(sorted.end(), row.begin(), row.end());
      RC_ASSERT(trace == sorted);
      traces.push_back(trace);
    }
    RC_ASSERT(traces[0] == traces[1]);
  }));
}

TEST(Table, ThreadsMeetTheSameWorlds) {
  const TempFile file(numbered_rows(200));
  std::vector<std::vector<int>> orders(4);
  std::vector<std::thread> threads;
  for (auto& order : orders) {
    threads.emplace_back([&] { order = ids_of(*table_of(file.path(), "", 5), 200); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& order : orders) EXPECT_EQ(order, orders[0]);
}

TEST(Table, RefusesWithTheReason) {
  EXPECT_EQ(error_of("/nowhere.csv", "", 10),
            "table FILE: cannot be opened: No such file or directory");
  const TempFile empty("x_a,r0\n");
  for (const char* order : {"order=file", "order=shuffled"}) {
    EXPECT_EQ(error_of(empty.path(), order, 10),
              "table FILE: has a header and no rows; accepted: one row per round");
  }
  // A wrong cell is found before the first round, in both orders.
  const TempFile wrong("x_a,r0\n1,0\n1,x\n");
  for (const char* order : {"order=file", "order=shuffled"}) {
    EXPECT_EQ(error_of(wrong.path(), order, 1),
              "table FILE, line 3, column \"r0\": found \"x\"; accepted: a number from -1 to 1");
  }
  const TempFile free("x_a,r0\n1,0\n");
  EXPECT_EQ(error_of(free.path(), "rate=0.1", 1),
            "world spec: key \"rate\" is for tables with costs, and this one has no column c0");
  EXPECT_EQ(error_of(kCoupons, "rate=[0.1,0.2]", 1),
            "world spec: key \"rate\" has 2 numbers; accepted: one for all, or one per cost (1)");
  const auto plain = [](const char* spec) { return make_world(spec, 1, 10).error(); };
  EXPECT_EQ(plain("table"), "world spec: table needs file=\"PATH\", a CSV file, plain or gzip");
  EXPECT_EQ(plain("table(fil=\"a.csv\")"),
            "world spec: unknown key \"fil\" at 6; table takes budget, context, cost, cost_range, "
            "file, names, order, rate, repeat, reward, reward_range, schema");
  EXPECT_EQ(error_of(kCoupons, "", -1), "world: found -1 rounds; accepted: 0 to 9007199254740992");
}

TEST(Table, AFileThatChangesUnderARunThrows) {
  const TempFile file(numbered_rows(40'000));  // more than any buffer holds
  const auto world = table_of(file.path(), "order=file");
  ids_of(*world, 10);
  file.write("x_id,r0,r1,c0,c1\n");
  EXPECT_THROW(ids_of(*world, 39'990), Failure);
}

}  // namespace
}  // namespace rein
