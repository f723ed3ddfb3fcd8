// What-if in passes: the same bits in one process, by shards, and from parts of a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "engine/small.h"
#include "linear_log.h"
#include "offpolicy/shards.h"
#include "rein/log_rows.h"
#include "rein/whatif_passes.h"

namespace rein {
namespace {

constexpr int kRows = 40'000;  // three shards

WhatifOptions options_of(double low, double high) {
  WhatifOptions options;
  for (int k = 0; k < 5; ++k) options.budgets.push_back(low + (high - low) * k / 4.0);
  return options;
}

LogOutline outline_of(const OfflineRows& rows) {
  const auto first = rows.context.first(static_cast<std::size_t>(rows.features));
  return {.rows = rows.rows,
          .actions = rows.actions,
          .heads = rows.heads,
          .features = rows.features,
          .first_context = {first.begin(), first.end()}};
}

std::string by_passes(const OfflineRows& rows, const WhatifOptions& options) {
  WhatifPasses passes = WhatifPasses::start(outline_of(rows), options).value();
  while (!passes.done()) {
    const std::string task = passes.task();
    const std::int64_t shards = passes.shards();
    EXPECT_EQ(shards, 3);
    for (std::int64_t shard = 0; shard < shards; ++shard) {
      const OfflineRows some = some_rows(rows, shard_rows(rows.rows, shard));
      passes.add(whatif_sums(task, some, shard).value()).check();
    }
  }
  return to_value(passes.result()).str();
}

TEST(Shards, AreMergedInOrderAndStopWhenAsked) {
  constexpr std::int64_t kMany = 20 * kShardRows + 5;
  for (const int threads : {1, 2, 5}) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{1} << 25}) {  // one waits, or many
      std::vector<double> order;
      ShardWork work{.threads = threads, .size = size};
      work.sums_of = [](const RowRange& range) {
        return std::vector<double>{static_cast<double>(range.first)};
      };
      work.merge = [&](std::vector<double>&& sums) { order.push_back(sums[0]); };
      EXPECT_TRUE(sum_shards(kMany, work));
      ASSERT_EQ(order.size(), 21u);
      EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
      std::atomic<int> asked{0};
      order.clear();
      work.go_on = [&] { return ++asked < 7; };
      EXPECT_FALSE(sum_shards(kMany, work));
      EXPECT_LE(order.size(), 6u);
      work.go_on = nullptr;
      work.sums_of = [](const RowRange& range) -> std::vector<double> {
        if (range.first > 3 * kShardRows) throw std::runtime_error("damaged");
        return {1.0};
      };
      EXPECT_THROW(sum_shards(kMany, work), std::runtime_error);
    }
  }
}

TEST(Passes, HaveTheBitsOfOneProcess) {
  const LinearTruth truth(4, 3, true, 5);
  for (const char* policy : {"softmax", "ccb"}) {
    OwnedLog log = draw_log(truth, policy, kRows, 3);
    for (std::size_t i = 0; i < log.outcomes.size(); i += 97) log.outcomes[i] = kUnknown;
    std::vector<std::uint8_t> offered(static_cast<std::size_t>(kRows) * 4, 1);
    for (std::size_t row = 0; row < kRows; row += 3) {
      const std::size_t other = (static_cast<std::size_t>(log.played[row]) + 1) % 4;
      offered[row * 4 + other] = 0;
    }
    std::vector<double> weights(kRows, 1.0);
    for (std::size_t row = 0; row < kRows; row += 5) weights[row] = 0.5;
    OfflineRows rows = log.rows();
    WhatifOptions options = options_of(0.4, 0.6);
    for (const bool limited : {false, true}) {
      if (limited) options.limits = {{.head = 2, .amount = 0.5, .at_least = true}};
      for (const bool more : {false, true}) {
        const bool learned = policy == std::string_view("ccb");
        if (sanitized() && (limited != more || limited != learned))
          continue;  // the plain build has all
        if (more) rows.offered = offered;
        if (more) rows.weights = weights;
        options.fit.threads = 1;
        const std::string one = to_value(whatif(rows, options).value()).str();
        options.fit.threads = 3;
        EXPECT_EQ(one, to_value(whatif(rows, options).value()).str());
        EXPECT_EQ(one, by_passes(rows, options)) << policy << limited << more;
      }
      rows = log.rows();
    }
  }
}

// Several questions share the passes, and each curve has the bits of its own call.
TEST(Passes, CurvesOfSeveralQuestionsHaveTheBitsOfSingleCalls) {
  const LinearTruth truth(4, 3, true, 5);
  const OwnedLog log = draw_log(truth, "softmax", kRows, 3);
  const OfflineRows rows = log.rows();
  const WhatifOptions options = options_of(0.4, 0.6);
  std::vector<WhatifQuestion> questions(4, {.cost = 1, .budgets = options.budgets});
  questions[1].limits = {{.head = 2, .amount = 0.5, .at_least = true}};
  questions[2].limits = {{.head = 2, .amount = 0.45, .at_least = true}};  // shares the grid
  questions[3] = {.cost = 2, .budgets = {0.5}};
  const std::vector<Whatif> found = whatif_curves(rows, options, questions).value();
  WhatifPasses passes = WhatifPasses::start(outline_of(rows), options, questions).value();
  while (!passes.done()) {
    const std::string task = passes.task();
    for (std::int64_t shard = 0; shard < passes.shards(); ++shard) {
      const OfflineRows some = some_rows(rows, shard_rows(rows.rows, shard));
      passes.add(whatif_sums(task, some, shard).value()).check();
    }
  }
  ASSERT_EQ(found.size(), questions.size());
  ASSERT_EQ(passes.results().size(), questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    WhatifOptions single = options;
    single.cost = questions[i].cost;
    single.budgets = questions[i].budgets;
    single.limits = questions[i].limits;
    const std::string expected = to_value(whatif(rows, single).value()).str();
    EXPECT_EQ(to_value(found[i]).str(), expected) << i;
    EXPECT_EQ(to_value(passes.results()[i]).str(), expected) << i;
  }
  EXPECT_EQ(whatif_curves(rows, options, {}).error(), "whatif: found 0 curves; accepted: 1 to 400");
}

// 130 curves of 200 budgets have more sums than one pass may have, so the last pass is done twice.
TEST(Passes, ManyCurvesRepeatTheLastPass) {
  if (sanitized()) GTEST_SKIP() << "many budgets, which the plain build has";
  const LinearTruth truth(2, 3, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 60, 3);
  const OfflineRows rows = log.rows();
  WhatifOptions options;
  for (int k = 0; k < kMaxWhatifBudgets; ++k) options.budgets.push_back(0.3 + 0.002 * k);
  std::vector<WhatifQuestion> questions(130, {.cost = 1, .budgets = options.budgets});
  for (std::size_t i = 0; i < questions.size(); ++i) questions[i].budgets[0] -= 0.001 * static_cast<double>(i);
  WhatifPasses passes = WhatifPasses::start(outline_of(rows), options, questions).value();
  int count = 0;
  while (!passes.done()) {
    passes.add(whatif_sums(passes.task(), rows, 0).value()).check();
    ++count;
  }
  EXPECT_EQ(count, 5);
  ASSERT_EQ(passes.results().size(), questions.size());
  for (const std::size_t i : {std::size_t{0}, questions.size() - 1}) {
    options.budgets = questions[i].budgets;
    EXPECT_EQ(to_value(passes.results()[i]).str(), to_value(whatif(rows, options).value()).str());
  }
}

TEST(Passes, RefuseWhatDoesNotFit) {
  const LinearTruth truth(3, 2, false, 5);
  const OwnedLog log = draw_log(truth, "uniform", 1000, 3);
  const OfflineRows rows = log.rows();
  WhatifOptions options = options_of(0.4, 0.6);
  WhatifPasses passes = WhatifPasses::start(outline_of(rows), options).value();
  EXPECT_NE(passes.add({1.0, 2.0}).error().find("shard 0 has 2 sums; accepted: "),
            std::string::npos);
  const std::string task = passes.task();
  EXPECT_NE(whatif_sums(task, some_rows(rows, {0, 999}), 0).error().find("shard 0 has 999 rows"),
            std::string::npos);
  EXPECT_EQ(whatif_sums(task, rows, 1).error(), "whatif: found shard 1; accepted: 0 to 0");
  EXPECT_FALSE(whatif_sums("nonsense", rows, 0));
  for (std::size_t size = 0; size < task.size(); ++size) {
    EXPECT_FALSE(whatif_sums(std::string_view(task).substr(0, size), rows, 0)) << size;
  }
  OfflineRows without = rows;
  without.propensity = {};
  EXPECT_NE(whatif_sums(task, without, 0).error().find("no propensities"), std::string::npos);
  OwnedLog bad = log;
  bad.propensity[7] = 0.0;
  EXPECT_NE(whatif_sums(task, bad.rows(), 0).error().find("row 7 has propensity 0"),
            std::string::npos);
  options.sensitivity = 1.5;
  EXPECT_NE(WhatifPasses::start(outline_of(rows), options).error().find("accepted in parts: none"),
            std::string::npos);
  options.sensitivity = 0.0;
  options.budgets = {};
  EXPECT_FALSE(WhatifPasses::start(outline_of(rows), options));
  LogOutline outline = outline_of(rows);
  outline.first_context.clear();
  EXPECT_FALSE(WhatifPasses::start(outline, options_of(0.4, 0.6)));
}

TEST(Passes, ALogWithoutUsableRowsIsRefused) {
  const LinearTruth truth(3, 2, false, 5);
  OwnedLog log = draw_log(truth, "uniform", 1000, 3);
  for (double& y : log.outcomes) y = kUnknown;
  WhatifPasses passes = WhatifPasses::start(outline_of(log.rows()), options_of(0.4, 0.6)).value();
  EXPECT_EQ(passes.add(whatif_sums(passes.task(), log.rows(), 0).value()).error(),
            "log: no row has all its outcomes and a weight above 0");
}

// A small log in a file; actions are named out of order.
std::string written(const char* name, int rows) {
  const std::string path = testing::TempDir() + name;
  std::ofstream out(path);
  out << "x_a,x_b,a,p,r,c_dollars\n";
  for (int i = 0; i < rows; ++i) {
    const char* action = i % 3 == 0 ? "mid" : i % 3 == 1 ? "large" : "small";
    out << i << ',' << (i % 7) * 0.25 << ',' << action << ",0.5," << i % 5 << ',' << i % 2 << '\n';
  }
  return path;
}

TEST(LogPart, IsTheSameRowsFromEveryFormat) {
  const std::string csv = written("part.csv", 20'000);
  const std::string columns = testing::TempDir() + "part.rlog";
  ASSERT_TRUE(convert_log(csv, {}, columns));
  for (const std::string& path : {csv, columns}) {
    const LogContents found = log_contents(path).value();
    EXPECT_EQ(found.rows, 20'000);
    EXPECT_EQ(found.actions, 3);
    EXPECT_EQ(found.names.costs, std::vector<std::string>{"dollars"});
    EXPECT_EQ(found.first_context, (std::vector<double>{0.0, 0.0}));
    const std::vector<std::string> actions{"large", "mid", "small"};
    for (const auto& [first, last] : std::vector<std::pair<int, int>>{
             {0, 1}, {0, 20'000}, {4095, 4097}, {9000, 19'999}, {19'999, 20'000}}) {
      const LogRows rows = read_log_part(path, {}, first, last, actions).value();
      ASSERT_EQ(rows.view().rows, last - first);
      EXPECT_EQ(rows.actions, actions);
      for (int i = first; i < last; ++i) {
        const std::size_t row = static_cast<std::size_t>(i - first);
        ASSERT_EQ(rows.context[2 * row], i);
        ASSERT_EQ(rows.played[row], i % 3 == 0 ? 1 : i % 3 == 1 ? 0 : 2);
        ASSERT_EQ(rows.outcomes[2 * row + 1], i % 2);
      }
    }
    EXPECT_NE(read_log_part(path, {}, 19'999, 20'001, actions).error().find("Did it change?"),
              std::string::npos);
    EXPECT_NE(read_log_part(path, {}, 0, 3, {"mid", "small"}).error().find("action \"large\""),
              std::string::npos);
    std::remove(path.c_str());
  }
}

}  // namespace
}  // namespace rein
