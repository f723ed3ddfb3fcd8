// TableFile: tables are read as written. Every error names the file, the line and the column.
#include "world/table_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "property.h"
#include "temp_file.h"

namespace rein {
namespace {

Result<TableKeys> keys_of(std::string_view spec) {
  const Spec parsed = parse_spec(spec).value();
  SpecReader read(parsed, "world spec");
  TableKeys keys = read_table_keys(read);
  if (auto done = read.finish(); !done) return done.failure();
  return keys;
}

// Every row, or the error, with FILE for the path.
Result<std::vector<std::vector<double>>> read_table(const std::string& path,
                                                    std::string_view spec) {
  const auto refused = [&](std::string message) {
    if (const auto at = message.find(path); at != std::string::npos) {
      message.replace(at, path.size(), "FILE");
    }
    return Error{message};
  };
  const auto keys = keys_of(spec);
  if (!keys) return keys.failure();
  auto opened = TableFile::open(path, keys.value());
  if (!opened) return refused(opened.error());
  TableFile file = std::move(opened).value();
  std::vector<std::vector<double>> rows;
  std::vector<double> row(file.schema().width());
  for (;;) {
    auto more = file.next(row);
    if (!more) return refused(more.error());
    if (!more.value()) return rows;
    rows.push_back(row);
  }
}

std::string file_error(std::string_view text, std::string_view spec = "table") {
  const auto rows = read_table(TempFile(text).path(), spec);
  return rows ? "accepted" : rows.error();
}

using Rows = std::vector<std::vector<double>>;
Rows rows_of(std::string_view text, std::string_view spec = "table") {
  return read_table(TempFile(text).path(), spec).value();
}

TEST(TableFile, ARowIsTheContextThenRewardsThenCosts) {
  EXPECT_EQ(rows_of("c1,x_b,r0,id,x_a,c0,r1\n.1,2,.3,bob,4,.5,-.6\n"),
            (Rows{{2, 4, .3, -.6, .5, .1}}));
  EXPECT_EQ(rows_of("r0,r1\n0,1\n1,0\n"), (Rows{{0, 1}, {1, 0}}));  // no context, no costs
  EXPECT_EQ(rows_of("x_a,r0\n+1.5e2, 0.5 \n"), (Rows{{150, 0.5}}));
}

TEST(TableFile, ColumnsAreNamedByKeys) {
  const std::string_view text =
      "age,income,won_a,won_b,fee_0,fee_1,lat0,lat1,tax\n1,2,.1,.2,.3,.4,.5,.6,.7\n";
  EXPECT_EQ(rows_of(text, "table(context=\"age,income\",reward=\"won_a,won_b\")"),
            (Rows{{1, 2, .1, .2}}));
  EXPECT_EQ(rows_of(text, "table(context=[\"income\",\"age\"],reward=[won_b,won_a],cost=\"fee_\")"),
            (Rows{{2, 1, .2, .1, .3, .4}}));
  EXPECT_EQ(
      rows_of(text,
              "table(context=age,reward=\"won_a,won_b\",cost=[\"lat\",\"tax\",\"fee_1,fee_0\"])"),
      (Rows{{1, .1, .2, .5, .6, .7, .7, .4, .3}}));
  EXPECT_EQ(rows_of("x_a,r0,c0\n1,0,0\n", "table(cost=[])"), (Rows{{1, 0}}));
}

TEST(TableFile, CostsHaveNames) {
  const auto names = [](std::string_view spec) {
    const TempFile file("r0,c0,lat_0,tax\n");
    const auto opened = TableFile::open(file.path(), keys_of(spec).value());
    std::vector<std::string> found;
    for (const CostShape& cost : opened.value().schema().costs) found.push_back(cost.name);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("table"), Names{"cost"});
  EXPECT_EQ(names("table(cost=\"lat_\")"), Names{"cost"});
  EXPECT_EQ(names("table(cost=[c,\"lat_\",tax])"), (Names{"c", "lat", "tax"}));
  EXPECT_EQ(names("table(cost=[c,\"lat_\"],names=[dollars,\"seconds\"])"),
            (Names{"dollars", "seconds"}));
}

TEST(TableFile, RefusesColumnsThatAreNotThere) {
  const struct {
    const char *header, *spec, *message;
  } cases[] = {
      {"x_a,r0,r0", "table", "column \"r0\" appears twice, as columns 2 and 3"},
      {"x_a,b", "table", "no column \"r0\" for the rewards; found: x_a, b"},
      {"x_a;r0;r1", "table", "no column \"r0\" for the rewards; found: x_a;r0;r1"},
      {"a,b,c,d,e,f,g,h,i,j,k,l,m,n", "table",
       "no column \"r0\" for the rewards; found: a, b, c, d, e, f, g, h, i, j, k, l and 2 more"},
      {"x_a,r1,r2", "table",
       "there is a column \"r1\" and no \"r0\"; accepted: numbers from 0 on, or the names "
       "themselves"},
      {"x_a,r0,r1,c0,c2", "table",
       "there is a column \"c2\" and no \"c1\"; accepted: numbers from 0 on, or the names "
       "themselves"},
      {"x_a,r0,r1,r2,c0,c1", "table",
       "cost \"c\" has 2 columns; accepted: one per action (3), or one for all"},
      {"x_a,r0,r1,u,v,w", "table(cost=\"u,v,w\")",
       "cost \"u,v,w\" has 3 columns; accepted: one per action (2), or one for all"},
      {"x_a,r0", "table(cost=lat)", "no column \"lat0\" for the costs; found: x_a, r0"},
      {"x_a,r0,r1,u", "table(cost=\"u,v\")",
       "no column \"v\" for the costs; found: x_a, r0, r1, u"},
      {"x_a,r0", "table(context=\"age\")", "no column \"age\" for the context; found: x_a, r0"},
      {"x_a,u", "table(reward=\"u,v\")", "no column \"v\" for the rewards; found: x_a, u"},
      {"x_a,r0", "table(context=\"x_a,x_\")", "key \"context\" names a column twice"},
      {"x_a,r0,c0", "table(context=\"x_,r\")",
       "column \"r0\" is context and outcome; accepted: one of them, as a context is known before "
       "the action is chosen"},
      {"r0,c0,d0", "table(cost=[c,d],names=[a,a])",
       "two costs are called \"a\"; accepted: names= with one name per cost, all different"},
  };
  for (const auto& [header, spec, message] : cases) {
    EXPECT_EQ(file_error(fmt::format("{}\n", header), spec),
              fmt::format("table FILE, line 1: {}", message));
  }
}

TEST(TableFile, RefusesLogsWhereOnlyTheActionTakenIsKnown) {
  EXPECT_EQ(file_error("x_a,action,reward,pscore\n1,0,1,0.5\n"),
            "table FILE, line 1: looks like a log of decisions (it has a column \"action\"); "
            "accepted: a table with the outcome of every action, taken or not: r0, r1, ...");
  EXPECT_EQ(file_error("x_a,action,reward\n1,0,1\n", "table(reward=reward)"),
            "table FILE, line 1: column \"reward\" is the only reward; accepted: one column per "
            "action, as a log that knows only the action taken is not a table");
  EXPECT_EQ(file_error("x_a,r0,r1\n1,0,1\n1,,1\n"),
            "table FILE, line 3, column \"r0\": found an empty cell; accepted: a number from -1 to "
            "1, as a table has the outcome of every action, taken or not");
}

TEST(TableFile, RefusesCellsWithTheirPlace) {
  const auto refused = [](std::string_view row, std::string_view where, std::string_view spec) {
    EXPECT_EQ(file_error(fmt::format("x_a,r0,r1,c0,c1\n0,0,0,0,0\n{}\n", row), spec),
              fmt::format("table FILE, line 3{}", where));
  };
  const auto plain = [&](std::string_view row, std::string_view where) {
    refused(row, where, "table");
  };
  plain("0,0,0,0", ": found 4 fields; the header has 5");
  plain("0,0,0,0,0,0", ": found 6 fields; the header has 5");
  plain("abc,0,0,0,0", ", column \"x_a\": found \"abc\"; accepted: a finite number");
  plain(",0,0,0,0", ", column \"x_a\": found an empty cell; accepted: a finite number");
  plain("nan,0,0,0,0", ", column \"x_a\": found \"nan\"; accepted: a finite number");
  plain("-inf,0,0,0,0", ", column \"x_a\": found \"-inf\"; accepted: a finite number");
  plain("1e999,0,0,0,0", ", column \"x_a\": found \"1e999\"; accepted: a finite number");
  plain("0x10,0,0,0,0", ", column \"x_a\": found \"0x10\"; accepted: a finite number");
  plain("1e60,0,0,0,0",
        ", column \"x_a\": found \"1e60\"; accepted: a number from -1e+50 to 1e+50");
  plain("-1.1e50,0,0,0,0",
        ", column \"x_a\": found \"-1.1e50\"; accepted: a number from -1e+50 to 1e+50");
  plain("1 2,0,0,0,0", ", column \"x_a\": found \"1 2\"; accepted: a finite number");
  plain("\"0,5\",0,0,0,0", ", column \"x_a\": found \"0,5\"; accepted: a finite number");
  plain("0,0,0,NaN,0", ", column \"c0\": found \"NaN\"; accepted: a number from -1 to 1");
  plain("0,0,1.5,0,0",
        ", column \"r1\": found \"1.5\"; accepted: a number from -1 to 1, or another "
        "reward_range=");
  plain(
      "0,0,0,0,-1.01",
      ", column \"c1\": found \"-1.01\"; accepted: a number from -1 to 1, or another cost_range=");
  plain("0,0,0,0," + std::string(60, '7'),
        fmt::format(", column \"c1\": found \"{}...\"; accepted: a number from -1 to 1, or another "
                    "cost_range=",
                    std::string(40, '7')));
  plain("\"a\nb\",0,0,0,0", ", column \"x_a\": found \"a?b\"; accepted: a finite number");
  refused("0,-0.1,0,0,0",
          ", column \"r0\": found \"-0.1\"; accepted: a number from 0 to 5, or another "
          "reward_range=",
          "table(reward_range=[0,5])");
}

TEST(TableFile, RangesAreDeclared) {
  const std::string_view text = "r0,c0,lat0\n3,70,-9\n";
  EXPECT_EQ(rows_of(text, "table(reward_range=[0,5],cost_range=[[0,70],[-9,0]],cost=[c,lat])"),
            (Rows{{3, 70, -9}}));
  EXPECT_EQ(rows_of(text, "table(reward_range=[3,5],cost_range=[-9,70],cost=[c,lat])"),
            (Rows{{3, 70, -9}}));
  EXPECT_EQ(rows_of(text, "table(reward_range=unknown,cost_range=unknown,cost=[c,lat])"),
            (Rows{{3, 70, -9}}));
}

TEST(TableFile, RefusesKeysThatDoNotFit) {
  const auto refused = [](std::string_view spec) {
    const auto keys = keys_of(spec);
    return keys ? "accepted" : keys.error();
  };
  EXPECT_EQ(refused("table(context=3)"),
            "world spec: key \"context\" has 3 at 14; accepted: names of columns, or a prefix of "
            "names, as \"x_\"");
  EXPECT_EQ(refused("table(context=\"a,,b\")"),
            "world spec: key \"context\" has \"a,,b\" at 14; accepted: names of columns, or a "
            "prefix of names, as \"x_\"");
  EXPECT_EQ(
      refused("table(reward=[])"),
      "world spec: key \"reward\" has [] at 13; accepted: a prefix, as \"r\", or one name per "
      "action");
  EXPECT_EQ(
      refused("table(cost=[c,[d]])"),
      "world spec: key \"cost\" has [d] at 14; accepted: for every cost a prefix, as \"c\", or "
      "names");
  EXPECT_EQ(refused("table(reward_range=[1,0])"),
            "world spec: key \"reward_range\" has [1,0] at 19; accepted: [low,high]");
  EXPECT_EQ(refused("table(reward_range=[[0,1],[0,1]])"),
            "world spec: key \"reward_range\" has [[0,1],[0,1]] at 19; accepted: [low,high]");
  EXPECT_EQ(refused("table(cost_range=2)"),
            "world spec: key \"cost_range\" has 2 at 17; accepted: [low,high], or a list of those, "
            "one per cost");
  EXPECT_EQ(refused("table(cost=[c,d],names=[a])"),
            "world spec: key \"names\" has 1 names; accepted: one per cost (2)");
  EXPECT_EQ(
      refused("table(cost_range=[[0,1],[0,1]])"),
      "world spec: key \"cost_range\" has 2 ranges; accepted: one for all, or one per cost (1)");
  EXPECT_EQ(refused("table(cost=[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q])"),
            "world spec: key \"cost\" names 17 costs; accepted: 0 to 16");
}

// Tables of any doubles, in the shortest text that reads back to the same bits.
TEST(TableFile, RandomTablesComeBack) {
  EXPECT_TRUE(rc::check("write and read", [] {
    const int context = *rc::gen::inRange(0, 5);
    const int actions = *rc::gen::inRange(1, 5);
    const int costs = *rc::gen::inRange(0, 3);
    const int rows = *rc::gen::inRange(1, 20);
    std::string header;
    for (int j = 0; j < context; ++j) header += fmt::format("x_{},", j);
    for (const char* head : {"r", "c", "d"}) {
      if (head[0] != 'r' && costs <= head[0] - 'c') continue;
      for (int a = 0; a < actions; ++a) header += fmt::format("{}{},", head, a);
    }
    const char* line_end = *rc::gen::element("\n", "\r\n");
    std::string text = header + "note" + line_end;
    Rows expected;
    for (int i = 0; i < rows; ++i) {
      std::vector<double>& row = expected.emplace_back();
      for (int j = 0; j < context + (1 + costs) * actions; ++j) {
        const double any = *rc::gen::arbitrary<double>();
        const double unit = any - std::floor(any);
        row.push_back(j < context ? any : std::min(unit, 1.0));
        const char* around = *rc::gen::element("", "\"", " ");
        text += fmt::format("{0}{1}{0},", around, row.back());
      }
      text += fmt::format("\"row {}, \"\"odd\"\"\"{}", i, line_end);
    }
    const char* spec = costs == 2 ? "table(cost=[c,d])" : "table";
    RC_ASSERT(rows_of(text, spec) == expected);
    RC_ASSERT(read_table(TempFile(gzipped(text), ".csv.gz").path(), spec).value() == expected);
  }));
}

TEST(TableFile, ATableIsLoadedOnceForAll) {
  const TempFile file("x_a,r0\n1,0\n2,1\n");
  const TempFile other("x_a,r0\n7,0\n");
  const auto load = [](const std::string& path, std::string_view spec = "table") {
    TableFile opened = TableFile::open(path, keys_of(spec).value()).value();
    return load_table(opened).value();
  };
  std::vector<std::shared_ptr<const LoadedTable>> seen(8);
  std::vector<std::thread> threads;
  for (auto& mine : seen) threads.emplace_back([&] { mine = load(file.path()); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& table : seen) EXPECT_EQ(table, seen[0]);
  EXPECT_NE(load(file.path(), "table(context=\"x_a\")"), seen[0]);  // other keys: another table

  // Without owners, the last table stays until another is loaded.
  const std::weak_ptr<const LoadedTable> watched = load(file.path());
  seen.clear();
  EXPECT_FALSE(watched.expired());
  load(other.path());
  EXPECT_TRUE(watched.expired());
}

TEST(TableFile, AFileThatChangedIsReadAgain) {
  const TempFile file("x_a,r0\n1,0\n2,1\n");
  const auto rows = [&](bool loaded) {
    TableFile opened = TableFile::open(file.path(), TableKeys{}).value();
    return loaded ? load_table(opened).value()->rows : count_rows(opened).value();
  };
  EXPECT_EQ(rows(true), 2);
  EXPECT_EQ(rows(false), 2);
  file.write("x_a,r0\n1,0\n2,1\n3,1\n");
  EXPECT_EQ(rows(false), 3);
  file.write("x_a,r0\n1,0\n");
  EXPECT_EQ(rows(true), 1);
  EXPECT_EQ(rows(false), 1);
}

}  // namespace
}  // namespace rein
