// Logs in CSV: what is read, what is refused and counted by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rein/log.h"
#include "temp_file.h"

namespace rein {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Log read(std::string_view text, const LogOptions& options = {}) {
  return read_log(TempFile(text).path(), options).value();
}

// The notes as `refused 2 lines 3-5: what`.
std::vector<std::string> notes(const Log& log) {
  std::vector<std::string> out;
  for (const LogNote& note : log.report.notes) {
    out.push_back(fmt::format("{} {} lines {}-{}: {}", note.refused ? "refused" : "kept",
                              note.count, note.first, note.last, note.what));
  }
  return out;
}

TEST(CsvLog, ReadsTheUsualColumns) {
  const Log log = read(
      "x_age,x_rich,a,p,r,c_dollars,c_seconds\n"
      "30,1,email,0.5,1,0.02,3\n"
      "40,0,none,0.25,0,0,\n");
  EXPECT_EQ(log.rows(), 2);
  EXPECT_THAT(log.names.context, ElementsAre("age", "rich"));
  EXPECT_THAT(log.names.actions, ElementsAre("email", "none"));
  EXPECT_THAT(log.names.costs, ElementsAre("dollars", "seconds"));
  EXPECT_THAT(log.context, ElementsAre(30, 1, 40, 0));
  EXPECT_THAT(log.played, ElementsAre(0, 1));
  EXPECT_THAT(log.propensity, ElementsAre(0.5, 0.25));
  EXPECT_THAT(log.reward, ElementsAre(1, 0));
  EXPECT_EQ(log.costs[1], 3);
  EXPECT_TRUE(std::isnan(log.costs[3]));
  EXPECT_TRUE(log.all_offered);
  EXPECT_EQ(log.actions, 2);
  EXPECT_EQ(log.offers(1), 2);
  EXPECT_EQ(log.action(1), 1);
  EXPECT_THAT(notes(log), ElementsAre("kept 1 lines 3-3: no cost \"seconds\" came"));
}

TEST(CsvLog, BadRowsAreRefusedAndCountedByLine) {
  const Log log = read(
      "x_1,a,p,r,c\n"
      "1,b,0.5,1,0\n"
      "1,b,0,1,0\n"
      "1,b,-0.1,1,0\n"
      "1,b,1.5,1,0\n"
      "nan,b,0.5,1,0\n"
      "1,b,0.5,inf,0\n"
      "1,b,0.5,1\n"
      "1,,0.5,1,0\n"
      "1,b,0.5,1,x\n"
      "2,b,1,1,0\n");
  EXPECT_EQ(log.report.kept, 2);
  EXPECT_EQ(log.report.refused, 8);
  EXPECT_THAT(log.line, ElementsAre(2, 11));
  EXPECT_THAT(
      notes(log),
      ElementsAre("refused 3 lines 3-5: found probability 0; accepted: above 0 and at most 1",
                  "refused 1 lines 6-6: context: found \"nan\"; accepted: a finite number",
                  "refused 1 lines 7-7: reward: found \"inf\"; accepted: a finite number, or "
                  "nothing",
                  "refused 1 lines 8-8: found 4 fields; accepted: 5, as in the header",
                  "refused 1 lines 9-9: found no action; accepted: its name",
                  "refused 1 lines 10-10: cost: found \"x\"; accepted: a finite number, or "
                  "nothing"));
  EXPECT_THAT(log.report.str(), HasSubstr("2 rows kept, 8 refused"));
}

TEST(CsvLog, UnknownActionsAreRefusedIfAllAreGiven) {
  const Log log = read("a,p,r\nb,1,1\nc,1,1\na,1,0\n", {.actions = {"a", "b"}});
  EXPECT_THAT(log.played, ElementsAre(1, 0));
  EXPECT_THAT(
      notes(log),
      ElementsAre("refused 1 lines 3-3: found action \"c\"; accepted: the 2 actions given"));
}

TEST(CsvLog, ActionsThatAreNumbersAreSorted) {
  const Log log = read("a,p,r\n10,1,1\n2,1,1\n10,1,0\n");
  EXPECT_THAT(log.names.actions, ElementsAre("2", "10"));
  EXPECT_THAT(log.played, ElementsAre(1, 0, 1));
}

TEST(CsvLog, TextIsACategory) {
  Log log = read("x_n,x_city,a,p,r\n1,Paris,b,1,1\n2,Rome,b,1,1\n3,Paris,b,1,1\n4,,b,1,1\n");
  EXPECT_THAT(log.names.context, ElementsAre("n"));
  EXPECT_THAT(log.shared_begin, ElementsAre(0, 1, 2, 3, 3));
  make_dense(log).check();
  EXPECT_THAT(log.names.context, ElementsAre("n", "city=Paris", "city=Rome"));
  EXPECT_THAT(log.context, ElementsAre(1, 1, 0, 2, 0, 1, 3, 1, 0, 4, 0, 0));
  Log again = read("x_city,a,p,r\nParis,b,1,1\nRome,b,1,1\n");
  EXPECT_THAT(make_dense(again, 1).error(), HasSubstr("2 different columns; accepted: at most 1"));
}

TEST(CsvLog, RowsHaveAUnit) {
  const Log log = read("user,x_n,a,p,r\nann,1,b,1,1\n,2,b,1,1\nbob,3,b,1,1\nann,4,b,1,1\n",
                       {.unit = "user"});
  EXPECT_THAT(log.unit, ElementsAre("ann", "bob", "ann"));
  EXPECT_THAT(notes(log), ElementsAre("refused 1 lines 3-3: user: found nothing; accepted: what the "
                                      "row belongs to"));
  const Log context = read("x_n,a,p,r\n1,b,1,1\n2,b,1,1\n", {.unit = "x_n"});
  EXPECT_THAT(context.unit, ElementsAre("1", "2"));
  EXPECT_THAT(context.context, ElementsAre(1, 2));
  EXPECT_THAT(read_log(TempFile("x_n,a,p,r\n1,b,1,1\n").path(), {.unit = "usr"}).error(),
              HasSubstr("found no column \"usr\" for the unit"));
}

TEST(JsonLines, RowsHaveAUnit) {
  const std::string lines =
      "{\"user\":\"ann\",\"action\":\"b\",\"probability\":1,\"reward\":1,\"scopes\":{\"tenant\":"
      "\"x\"}}\n"
      "{\"user\":7,\"action\":\"b\",\"probability\":1,\"reward\":1,\"scopes\":{\"tenant\":\"y\"}}\n"
      "{\"action\":\"b\",\"probability\":1,\"reward\":1,\"scopes\":{\"tenant\":\"x\"}}\n";
  const TempFile file(lines);
  const Log users =
      read_log(file.path(), {.format = LogFormat::kJsonl, .unit = "user"}).value();
  EXPECT_THAT(users.unit, ElementsAre("ann", "7"));
  EXPECT_EQ(users.report.refused, 1);
  const Log tenants =
      read_log(file.path(), {.format = LogFormat::kJsonl, .unit = "scope.tenant"}).value();
  EXPECT_THAT(tenants.unit, ElementsAre("x", "y", "x"));
  EXPECT_THAT(read_log(file.path(), {.format = LogFormat::kVw, .unit = "user"}).error(),
              HasSubstr("accepted: csv, jsonl"));
}

TEST(CsvLog, ReadsWhatExportWrites) {
  const Log log = read(
      "id,at,state,action,probability,actions,probabilities,context.age,reward,cost.dollars\n"
      "00ff,1767225600,settled,small,0.75,\"[\"\"small\"\",\"\"large\"\"]\",\"[0.75,0.25]\",3,1,0."
      "5\n"
      "01ff,1767225601,cancelled,small,1,\"[\"\"small\"\"]\",[1],3,,\n"
      "02ff,1767225602,open,large,1,\"[\"\"large\"\"]\",[1],4,,\n"
      "03ff,1767225602,open,large,0.5,\"[\"\"large\"\",\"\"small\"\"]\",\"[0.5,0.4]\",4,,\n"
      "04ff,1767225602,open,other,0.5,\"[\"\"large\"\",\"\"small\"\"]\",\"[0.5,0.5]\",4,,\n");
  EXPECT_EQ(log.rows(), 2);
  EXPECT_EQ(log.report.skipped, 1);
  EXPECT_EQ(log.report.refused, 2);
  EXPECT_EQ(log.actions, -1);
  EXPECT_THAT(log.begin, ElementsAre(0, 2, 3));
  EXPECT_THAT(log.offered, ElementsAre(0, 1, 1));
  EXPECT_THAT(log.probabilities, ElementsAre(0.75, 0.25, 1.0));
  EXPECT_THAT(log.played, ElementsAre(0, 0));
  EXPECT_EQ(log.action(1), 1);
  EXPECT_THAT(log.names.context, ElementsAre("age"));
  EXPECT_THAT(log.names.costs, ElementsAre("dollars"));
  EXPECT_THAT(log.id, ElementsAre("00ff", "02ff"));
  EXPECT_EQ(log.time[0], 1767225600'000'000'000);
  std::vector<std::int32_t> room;
  const LogRow row = log.row(1, room);
  EXPECT_EQ(row.action(), 1);
  EXPECT_THAT(row.probabilities, ElementsAre(1.0));
}

TEST(CsvLog, NamesOfColumnsCanBeGiven) {
  const Log log = read(
      "f1,f2,arm,prob,y,spend_usd\n1,2,u,0.5,3,4\n",
      {.columns = {"f2"}, .action = "arm", .propensity = "prob", .reward = "y", .cost = "spend"});
  EXPECT_THAT(log.context, ElementsAre(2));
  EXPECT_THAT(log.names.costs, ElementsAre("usd"));
  EXPECT_THAT(log.costs, ElementsAre(4));
  EXPECT_THAT(notes(log), ElementsAre("kept 1 lines 1-1: 1 column is not used: \"f1\""));
}

TEST(CsvLog, DamagedFilesAreRefusedWithTheLine) {
  std::string text = "x_1,a,p,r\n";
  for (int i = 0; i < 20000; ++i) text += fmt::format("{},b,0.5,1\n", i);
  const std::string whole = gzipped(text);
  EXPECT_EQ(read_log(TempFile(whole, ".csv.gz").path()).value().rows(), 20000);
  const TempFile cut(std::string_view(whole).substr(0, whole.size() / 2), ".csv.gz");
  EXPECT_THAT(read_log(cut.path()).error(), HasSubstr("the gzip data is cut off"));
  EXPECT_THAT(read_log(cut.path()).error(), HasSubstr(", line "));
  EXPECT_THAT(read_log(TempFile("b,p\n1,1\n").path()).error(),
              HasSubstr("line 1: found no column \"a\" for the action in the header (b, p)"));
  EXPECT_THAT(read_log(TempFile("a,p\nb,2\n").path()).error(), HasSubstr("no row can be used"));
  EXPECT_THAT(read_log("/nowhere.csv").error(), HasSubstr("log /nowhere.csv: cannot be opened"));
}

TEST(CsvLog, MixedLineEndsAreCounted) {
  const Log log = read("a,p,r\nb,1,1\r\nb,1,1\n");
  EXPECT_EQ(log.rows(), 2);
  EXPECT_THAT(notes(log),
              ElementsAre(HasSubstr("kept 1 lines 2-2: lines end in more than one way")));
}

TEST(CsvLog, UnknownPropensitiesAreSaid) {
  const Log log = read("a,r\nb,1\n");
  EXPECT_TRUE(std::isnan(log.propensity[0]));
  EXPECT_THAT(notes(log),
              ElementsAre("kept 1 lines 1-1: no column \"p\": the propensities are unknown"));
}

}  // namespace
}  // namespace rein
