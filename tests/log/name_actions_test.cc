// Actions that are known by their features get names; a log says in words what it found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rein/log.h"
#include "temp_file.h"

namespace rein {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Log read_named(std::string_view text, std::string_view ending = ".vw") {
  return read_log(TempFile(text, ending).path()).value();
}

// Two events that offer the same two actions in another order.
constexpr const char* kTwoOrders =
    "shared |U u:1\n"
    "0:-1:0.5 |A id=news w:2\n"
    "|A id=sport\n"
    "\n"
    "shared |U u:2\n"
    "|A id=sport\n"
    "0:0:0.5 |A id=news w:2\n";

TEST(NameActions, AListOfFeaturesIsAnActionWhereverItStands) {
  Log log = read_named(kTwoOrders);
  name_actions(log).check();
  EXPECT_THAT(log.names.actions, ElementsAre("A^id=news A^w:2", "A^id=sport"));
  EXPECT_EQ(log.action(0), 0);
  EXPECT_EQ(log.action(1), 0);  // it stands in the second place there
  EXPECT_EQ(log.action(1, 0), 1);
  EXPECT_THAT(log.features_value, IsEmpty());
  EXPECT_THAT(
      log.report.str(),
      HasSubstr("\n  line 1: actions are named by their features, 2 in all: \"A^id=news A^w:2\", "
                "\"A^id=sport\"\n"));
  const Log before = log;
  name_actions(log).check();  // there is nothing left to do
  EXPECT_EQ(log.report.notes.size(), before.report.notes.size());
}

TEST(NameActions, WhatAmbiguousFeaturesWouldNameIsRefusedByLine) {
  Log twice = read_named("shared |U u\n0:-1:0.5 |A f\n|A f\n");
  EXPECT_THAT(name_actions(twice).error(),
              HasSubstr("line 1: found two actions with the features \"A^f\""));
  Log many = read_named(kTwoOrders);
  EXPECT_THAT(name_actions(many, 1).error(),
              HasSubstr("line 1: found actions with more than 1 different lists of features"));
  Log changing = read_named(
      R"({"action":"b","probability":0.5,"actions":["a","b"],"features":[{"f":1},{"f":2}],"reward":1})"
      "\n"
      R"({"action":"b","probability":0.5,"actions":["a","b"],"features":[{"f":1},{"f":3}],"reward":1})"
      "\n",
      ".jsonl");
  EXPECT_THAT(name_actions(changing).error(),
              HasSubstr("line 2: found other features of action \"b\" than before"));
}

TEST(NameActions, NamesStayWhereFeaturesSayNoMore) {
  const std::string row =
      R"({"action":"b","probability":0.5,"actions":["a","b"],"features":[{"f":1},{"f":2}],"reward":1})";
  Log log = read_named(row + "\n" + row + "\n", ".jsonl");
  name_actions(log).check();
  EXPECT_THAT(log.names.actions, ElementsAre("a", "b"));
  EXPECT_THAT(log.features_value, IsEmpty());
}

TEST(NameActions, NamesThatAWriterMadeFeaturesOfComeBack) {
  const TempFile csv("x_u,a,p,r\n1,mail,0.5,1\n2,none,0.5,0\n", ".csv");
  const TempFile dsjson("", ".dsjson"), back("", ".csv");
  convert_log(csv.path(), {}, dsjson.path()).value();
  Log log = read_log(dsjson.path()).value();
  name_actions(log).check();
  EXPECT_THAT(log.names.actions, ElementsAre("mail", "none"));
  convert_log(dsjson.path(), {}, back.path()).value();
  EXPECT_THAT(read_log(back.path()).value().names.actions, ElementsAre("mail", "none"));
}

TEST(LogReport, SaysWhatIsAboutRowsAndWhatIsAboutTheFile) {
  const Log log = read_named("x_1,a,p,r,note\n1,b,0,1,\n2,b,0.5,1,\r\n3,b,2,1,\n", ".csv");
  const std::string text = log.report.str();
  EXPECT_THAT(text, HasSubstr("\n  line 1: 1 column is not used: \"note\"\n"));
  EXPECT_THAT(text, HasSubstr("\n  line 3: lines end in more than one way"));
  EXPECT_THAT(text, HasSubstr("\n  refused 2 rows, lines 2 to 4; the first: found probability 0;"));
}

TEST(CsvLog, ColumnsThatTheCallerNamesMustBeThere) {
  const TempFile file("x_1,a,p,r,c\n1,b,0.5,1,0\n", ".csv");
  const auto said = [&](const LogOptions& options) {
    return read_log(file.path(), options).error();
  };
  EXPECT_THAT(said({.propensity = "prob"}),
              HasSubstr("found no column \"prob\" for the propensity"));
  EXPECT_THAT(said({.reward = "solved"}), HasSubstr("found no column \"solved\" for the reward"));
  EXPECT_THAT(said({.cost = "bill"}), HasSubstr("found no column \"bill_NAME\" for the costs"));
  EXPECT_THAT(said({.columns = {"age"}}), HasSubstr("found no column \"age\" for the context"));
}

TEST(CsvLog, ALogWithoutRewardsSaysSo) {
  EXPECT_THAT(read_named("x_1,a,p,reward,c\n1,b,0.5,1,0\n", ".csv").report.str(),
              HasSubstr("line 1: no column \"r\": the rewards are unknown\n"
                        "  line 1: 1 column is not used: \"reward\""));
}

TEST(CsvLog, OtherSeparatorsAndBytesAreToldFromNames) {
  const auto said = [](std::string_view text) {
    return read_log(TempFile(text, ".csv").path()).error();
  };
  EXPECT_THAT(said("x_1;a;p;r\n1;b;0.5;1\n"), HasSubstr("columns are separated by commas"));
  EXPECT_THAT(said("\x01\x02z\x1b[31m\n"), HasSubstr("header (??z?[31m)"));
}

TEST(LogFormat, TablesOfArrowAreReadInPython) {
  EXPECT_THAT(log_format_of("days/monday.parquet").error(),
              HasSubstr(".parquet files are read in Python"));
}

}  // namespace
}  // namespace rein
