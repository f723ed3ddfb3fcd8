// Logs of Vowpal Wabbit, text and dsjson: what is read, and what is refused or said by line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "rein/log.h"
#include "temp_file.h"

namespace rein {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Log read_vw(std::string_view text, std::string_view ending, const LogOptions& options = {}) {
  return read_log(TempFile(text, ending).path(), options).value();
}

std::vector<std::string> notes(const LogReport& report) {
  std::vector<std::string> out;
  for (const LogNote& note : report.notes) {
    out.push_back(fmt::format("{} {} {}-{} {}", note.refused ? "refused" : "kept", note.count,
                              note.first, note.last, note.what));
  }
  return out;
}

std::vector<std::string> features(const Log& log) {
  std::vector<std::string> out;
  for (const FeatureName& name : log.names.features) out.push_back(name.str());
  return out;
}

constexpr const char* kEvent =
    R"({"_label_cost":-1,"_label_probability":0.5,"_label_Action":2,"_labelIndex":1,"Version":"1","EventId":"e1",)"
    R"("Timestamp":"2026-01-01T00:00:00.25Z","a":[2,1],"c":{"User":{"age":30,"city":"New York","vip":true,"no":null},)"
    R"("v":[0.5,2],"_tag":"t","_text":"two words","_multi":[{"A":{"f":"1"}},{"A":{"f":"2","w":0.5}}]},"p":[0.5,0.5],)"
    R"("_costs":{"spend":0.02}})";

TEST(VwLog, ReadsActionsWithFeatures) {
  const Log log = read_vw(
      "shared |User user=Tom time=morning\r\n"
      "|Action article=politics\r\n"
      "0:-1:0.7 |Action:0.5 article=sports w:3 zero:0\r\n"
      "\r\n\r\n"
      "| a b:2 |B :7 :8 c:word\r\n"
      "5:0.5:0.25 tag|B\r\n",
      ".vw");
  EXPECT_EQ(log.rows(), 2);
  EXPECT_THAT(log.line, ElementsAre(1, 6));
  EXPECT_THAT(features(log),
              ElementsAre("User^user=Tom", "User^time=morning", "Action^article=politics",
                          "Action^article=sports", "Action^w", "Action^zero", "a", "b", "B^0",
                          "B^1", "B^c=word"));
  EXPECT_THAT(log.played, ElementsAre(1, 1));
  EXPECT_THAT(log.reward, ElementsAre(1, -0.5));
  EXPECT_THAT(log.propensity, ElementsAre(0.7, 0.25));
  EXPECT_THAT(log.features_begin, ElementsAre(0, 1, 3, 8, 8));
  EXPECT_THAT(log.features_value, ElementsAre(1, 0.5, 1.5, 1, 2, 7, 8, 1));
  EXPECT_TRUE(log.report.notes.empty()) << log.report.str();
}

TEST(VwLog, WhatVowpalWabbitAcceptsSilentlyIsRefusedOrSaid) {
  const Log log = read_vw(
      "# made by hand\n"
      "|A a\n0:1:0.5 |A b\n\n"               // 2: kept
      "|A a\n0:1:0 |A b\n\n"                 // 6: probability 0
      "|A a\n0:1:1.5 |A b\n\n"               // 9: probability over 1
      "|A a\nshared |U u\n0:1:0.5 |A b\n\n"  // 12: shared is not first
      "shared |U u\nshared |U u\n0:1:0.5 |A b\n\n"
      "|A a\n|A b\n\n"                  // 20: no label
      "0:1:0.5 |A a\n0:1:0.5 |A b\n\n"  // 23: two labels
      "|A a\n0:1 |A b\n\n"              // 25: no probability: kept
      "|A a:nan\n0:1:0.5 |A b\n\n"
      "|A a:1e999\n0:1:0.5 |A b\n\n"
      "header\n0:1:0.5 |A b\n\n"
      "0:x:0.5 |A b\n\n"
      "shared |U u\n\n",
      ".vw");
  EXPECT_THAT(log.line, ElementsAre(2, 25));
  EXPECT_TRUE(std::isnan(log.propensity[1]));
  EXPECT_EQ(log.report.refused, 11);
  EXPECT_THAT(notes(log.report),
              ElementsAre(HasSubstr("kept 1 1-1 a line that begins with # is left out"),
                          "refused 2 6-9 found probability 0; accepted: above 0 and at most 1",
                          HasSubstr("refused 2 12-16 found \"shared\" after the first line"),
                          HasSubstr("refused 2 21-40 found a decision without a cost"),
                          HasSubstr("refused 1 23-23 found a second action with a cost"),
                          HasSubstr("kept 1 26-26 a label without a probability"),
                          HasSubstr("refused 2 28-31 feature \"a\": found value \"nan\""),
                          HasSubstr("refused 2 34-37 found label \"header\"")));
}

TEST(DsjsonLog, RemarksOnRowsThatAreKeptAreCounted) {
  const std::string without =
      R"({"_label_cost":1,"_labelIndex":0,"c":{"_multi":[{"a":1},{"b":1}]}})";
  const Log log = read_vw(std::string(kEvent) + "\n" + without + "\n" + without + "\n", ".dsjson");
  EXPECT_THAT(notes(log.report),
              ElementsAre("kept 2 2-3 no cost \"spend\" came",
                          HasSubstr("kept 2 2-3 no probability: it is unknown")));
}

TEST(VwLog, OneLinePerDecision) {
  const Log log = read_vw("2:1:0.5 | a b:2\n10:0:0.25 | a\n2:0:0.5 | c\n", ".txt");
  EXPECT_TRUE(log.all_offered);
  EXPECT_THAT(log.names.actions, ElementsAre("2", "10"));
  EXPECT_THAT(log.played, ElementsAre(0, 1, 0));
  EXPECT_THAT(log.reward, ElementsAre(-1, 0, 0));
  EXPECT_THAT(log.shared_begin, ElementsAre(0, 2, 3, 4));
}

TEST(DsjsonLog, ReadsAnEvent) {
  const Log log = read_vw(std::string(kEvent) + "\n", ".dsjson");
  EXPECT_THAT(features(log), ElementsAre("User^age", "User^city=New York", "User^vip", "v^[0]",
                                         "v^[1]", "two", "words", "A^f=1", "A^f=2", "A^w"));
  EXPECT_THAT(log.shared_value, ElementsAre(30, 1, 1, 0.5, 2, 1, 1));
  EXPECT_THAT(log.features_begin, ElementsAre(0, 1, 3));
  EXPECT_THAT(log.played, ElementsAre(1));
  EXPECT_THAT(log.reward, ElementsAre(1));
  EXPECT_THAT(log.probabilities, ElementsAre(0.5, 0.5));
  EXPECT_THAT(log.id, ElementsAre("e1"));
  EXPECT_THAT(log.time, ElementsAre(1767225600'250'000'000));
  EXPECT_THAT(log.names.costs, ElementsAre("spend"));
  EXPECT_THAT(log.costs, ElementsAre(0.02));
  EXPECT_TRUE(log.report.notes.empty()) << log.report.str();
}

TEST(DsjsonLog, TheOrderOfKeysDoesNotMatter) {
  const Log log = read_vw(
      R"({"p":[0.7,0.3],"c":{"_multi":[{"b":{"\u0061\"c\\":1}},{"x":2}],"u":{"g":3}},"a":[1,2],"pdrop":0.5,)"
      R"("_labelIndex":0,"_label_cost":0,"_label_probability":0.7})",
      ".dsjson");
  EXPECT_THAT(features(log), ElementsAre("b^a\"c\\", "x", "u^g"));
  EXPECT_THAT(log.weight, ElementsAre(2));
  EXPECT_THAT(log.reward, ElementsAre(0));
  EXPECT_THAT(notes(log.report), ElementsAre(HasSubstr("the label stands after the context")));
}

TEST(DsjsonLog, BadEventsAreRefusedAndCountedByLine) {
  const std::string c = R"("c":{"_multi":[{"a":1},{"b":1}]}})";
  std::string text = std::string(kEvent) + "\n";
  for (const char* label :
       {R"("_label_cost":1,"_label_probability":0,"_labelIndex":0,)",
        R"("_label_cost":1,"_label_probability":1.5,"_labelIndex":0,)",
        R"("_label_cost":1,"_label_probability":0.5,"_labelIndex":2,)",
        R"("_label_probability":0.5,"_labelIndex":0,)",
        R"("_label_cost":1,"_label_probability":0.5,"_labelIndex":0,"a":[1,2],"p":[0.5,0.4],)",
        R"("_label_cost":1,"_label_probability":0.5,"_labelIndex":0,"a":[1,1],"p":[0.5,0.5],)",
        R"("_label_cost":1,"_label_probability":0.5,"_labelIndex":0,"a":[1,2],"p":[0.4,0.6],)",
        R"("_label_cost":1,"_label_probability":0.5,"_labelIndex":0,"pdrop":1,)",
        R"("_label_cost":1,"_label_probability":0.5,"_labelIndex":0,"_skipLearn":true,)",
        R"("_label_cost":NaN,"_label_probability":0.5,"_labelIndex":0,)", R"("_outcomes":[],)"}) {
    text += "{" + std::string(label) + c + "\n";
  }
  text += "{\"_label_cost\":1,\"_labelIndex\":0}\n{\"c\":{}\n\xff\n";
  const Log log = read_vw(text, ".dsjson");
  EXPECT_EQ(log.rows(), 1);
  EXPECT_EQ(log.report.skipped, 1);
  EXPECT_EQ(log.report.refused, 13);
  EXPECT_THAT(notes(log.report),
              ElementsAre("refused 2 2-3 found probability 0; accepted: above 0 and at most 1",
                          "refused 1 4-4 found played action 2 (0-based) of 2; accepted: 0 to 1",
                          HasSubstr("refused 1 5-5 found no _label_cost"),
                          HasSubstr("refused 1 6-6 found probabilities that add up to 0.9"),
                          HasSubstr("refused 1 7-7 a: found 1 at 1"),
                          HasSubstr("refused 1 8-8 found _label_probability 0.5 and 0.4 in p"),
                          HasSubstr("refused 1 9-9 pdrop: found 1"),
                          HasSubstr("refused 2 11-14 found no valid JSON at byte 16"),
                          HasSubstr("refused 1 12-12 found _outcomes"),
                          HasSubstr("refused 1 13-13 found no c;"),
                          HasSubstr("refused 1 15-15 found bytes that are not UTF-8")));
}

// What a log becomes as plain cb, and the notes of the writer.
std::pair<std::string, std::vector<std::string>> as_cb(std::string_view text,
                                                       std::string_view ending) {
  const TempFile in(text, ending);
  const TempFile out("", ".vw");
  const Converted done = convert_log(in.path(), {}, out.path(), LogFormat::kCb).value();
  std::ifstream file(out.path(), std::ios::binary);
  return {std::string(std::istreambuf_iterator<char>(file), {}), notes(done.out)};
}

TEST(VwLog, WritesPlainCb) {
  const auto [text, said] =
      as_cb("x_age,a,p,r\n3,small,0.5,1\n0,large,0.25,-2\n1,small,,0\n", ".csv");
  EXPECT_EQ(text, "1:-1:0.5 |x age:3\n2:2:0.25 |\n1:0 |x age\n");
  EXPECT_THAT(said, ElementsAre("kept 3 2-4 actions are numbers in plain cb: 1 small, 2 large"));
}

TEST(VwLog, PlainCbGivesBackItsNumbersAndTags) {
  const std::string text = "7:-1:0.5 'e1 |U age:3 old\n2:2:0.25 'e2 | x\n";
  EXPECT_EQ(as_cb(text, ".vw").first, text);
  const TempFile file(text, ".vw");
  EXPECT_EQ(read_log(file.path(), {.format = LogFormat::kCb}).value().names.actions,
            (std::vector<std::string>{"2", "7"}));
}

TEST(VwLog, PlainCbRefusesWhatItCannotHold) {
  const auto [text, said] = as_cb(
      R"({"action":"2","probability":0.5,"actions":["1","2"],"context":{"x":1},"reward":1})"
      "\n"
      R"({"action":"3","probability":0.5,"actions":["1","2","3"],"context":{"x":1},"reward":1})"
      "\n"
      R"({"action":"1","probability":0.5,"actions":["1","2"],"context":{"x":1},"reward":1})"
      "\n"
      R"({"action":"b","probability":0.5,"actions":["1","b"],"context":{"x":1},"reward":1})"
      "\n"
      R"({"action":"1","probability":0.5,"actions":["1"],"context":{"x":1}})"
      "\n",
      ".jsonl");
  EXPECT_EQ(text, "2:-1:0.5 |x x\n3:-1:0.5 |x x\n1:-1:0.5 |x x\n");
  EXPECT_THAT(said, ElementsAre(HasSubstr("kept 1 3-3 actions offered are left out"),
                                HasSubstr("refused 1 4-4 found action \"b\" after actions"),
                                HasSubstr("refused 1 5-5 a decision without a reward")));
}

TEST(VwLog, WritesNothingIfTheFormatHoldsNoRow) {
  const TempFile in("0:0:0.5 |A u v\n|A v w\n\n", ".vw");
  for (const LogFormat format : {LogFormat::kCb, LogFormat::kCsv}) {
    const TempFile out("as before", ".out");
    const auto done = convert_log(in.path(), {}, out.path(), format);
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error(), HasSubstr("holds no row of " + in.path()));
    EXPECT_THAT(done.error(), HasSubstr("refused 1 row: line 1: features of actions, which"));
    std::ifstream file(out.path(), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "as before");
  }
}

TEST(DsjsonLog, NumbersAreReadExactly) {
  const Log log = read_vw(
      R"({"_label_cost":1,"_label_probability":1,"_labelIndex":0,"c":{"a":0.1,"b":-123456.7890123,"c":1e-300,"d":12345678,)"
      R"("e":0.30000000000000004,"f":9007199254740993,"g":-0.0000001,"h":1.5E+3,"_multi":[{"z":1}]}})",
      ".dsjson");
  EXPECT_THAT(log.shared_value,
              ElementsAre(0.1, -123456.7890123, 1e-300, 12345678, 0.30000000000000004,
                          9007199254740993.0, -0.0000001, 1500));
}

}  // namespace
}  // namespace rein
