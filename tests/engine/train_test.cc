// teach(): an engine learns a log by names; what cannot be learned is left out and counted.
#include "rein/train.h"

#include <gtest/gtest.h>

#include "temp_file.h"

namespace rein {
namespace {

// Two actions; the reward of "b" is 0.8, that of "a" 0.2; one category decides nothing.
std::string log_text() {
  std::string text = "x_age,x_city,a,p,r,c_dollars\n";
  for (int i = 0; i < 400; ++i) {
    const bool b = i % 2 == 1;
    text += std::to_string(20 + i % 7) + (i % 3 == 0 ? ",Paris," : ",Rome,") + (b ? "b" : "a") +
            ",0.5," + (b ? "0.8,0.3\n" : "0.2,0.1\n");
  }
  return text;
}

struct Taught {
  explicit Taught(const std::string& text, const std::string& policy = "ccb(rate=1)",
                  const std::string& ending = ".csv")
      : file(text, ending),
        log(read_log(file.path()).value()),
        problem(problem_of(log).value()),
        engine(Engine::make(policy, problem.shape, problem.options).value()),
        report(teach(engine, log).value()) {}
  TempFile file;
  Log log;
  LogProblem problem;
  Engine engine;
  LogReport report;
};

std::vector<double> estimates(const Engine& engine, double age, const char* city) {
  LookScratch scratch;
  const Cell row[] = {Cell::of(age), Cell::of(city)};
  const Round round{.actions = 2};
  const auto seen = engine.look(round, scratch, {.row = row}).value();
  return {seen.estimates->mean(0)[0], seen.estimates->mean(0)[1], seen.estimates->mean(1)[0],
          seen.estimates->mean(1)[1]};
}

TEST(Train, LearnsEveryRowByTheNamesOfTheLog) {
  const Taught taught(log_text());
  EXPECT_EQ(taught.report.kept, 400);
  EXPECT_EQ(taught.report.refused, 0);
  EXPECT_EQ(taught.problem.options.actions, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(taught.problem.context,
            (std::vector<Column>{{"age", "number"}, {"city", "category(most=2)"}}));
  EXPECT_EQ(taught.engine.policy().state().warm, 400);
  EXPECT_EQ(taught.engine.state().decided, 0);
  const auto found = estimates(taught.engine, 23.0, "Rome");
  EXPECT_NEAR(found[0], 0.2, 0.05);
  EXPECT_NEAR(found[1], 0.8, 0.05);
  EXPECT_NEAR(found[2], 0.1, 0.05);
  EXPECT_NEAR(found[3], 0.3, 0.05);
}

TEST(Train, SnapshotHasWhatWasLearned) {
  const Taught taught(log_text());
  const Engine back = Engine::restore(taught.engine.snapshot()).value();
  EXPECT_EQ(back.state_hash(), taught.engine.state_hash());
  EXPECT_EQ(estimates(back, 23.0, "Rome"), estimates(taught.engine, 23.0, "Rome"));
}

TEST(Train, LeavesOutRowsByReasonAndLine) {
  Taught start(log_text());
  const TempFile other(
      "x_age,x_city,a,p,r,c_dollars\n"
      "21,Rome,a,0.5,0.2,0.1\n"
      "22,Rome,c,0.5,0.2,0.1\n"
      "23,Rome,b,0.5,,\n"
      "24,Rome,b,0.5,0.8,\n");
  const Log log = read_log(other.path()).value();
  const LogReport report = teach(start.engine, log).value();
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.refused, 2);
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_EQ(report.notes[0].what, "found action \"c\", which the engine does not have");
  EXPECT_EQ(report.notes[0].first, 3);
  EXPECT_EQ(report.notes[1].what, "no reward and no cost came");
  EXPECT_EQ(report.notes[1].first, 4);
}

TEST(Train, OutcomesOutsideTheirRangeAreLeftOutAndLargeCostsAreClipped) {
  const TempFile file("x_age,a,p,r,c_dollars\n1,a,0.5,0.5,0.2\n2,b,0.5,1.5,0.2\n3,b,0.5,0.5,9\n");
  const Log log = read_log(file.path()).value();
  LogProblem problem = problem_of(log).value();
  problem.shape.reward = {0.0, 1.0};
  problem.shape.costs[0].range = {0.0, 1.0};
  Engine engine = Engine::make("ccb(rate=1)", problem.shape, problem.options).value();
  const LogReport report = teach(engine, log).value();
  EXPECT_EQ(report.kept, 2);
  EXPECT_EQ(report.refused, 1);
  EXPECT_EQ(report.notes[0].first, 3);
}

TEST(Train, FeaturesOfActionsAreNumbersInTheOrderOfTheirNames) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "shared |U x:0.5\n";
    text += (i % 2 == 0 ? "0:-0.9:0.5 |A f:1\n|A g:1\n\n" : "|A f:1\n0:-0.1:0.5 |A g:1\n\n");
  }
  const Taught taught(text, "ccb", ".vw");
  EXPECT_EQ(taught.problem.features, (std::vector<std::string>{"A^f", "A^g"}));
  EXPECT_EQ(taught.report.kept, 200);
  LookScratch scratch;
  const double features[] = {1.0, 0.0, 0.0, 1.0};
  const Cell row[] = {Cell::of(0.5)};
  const auto seen =
      taught.engine.look({.actions = 2, .features = features}, scratch, {.row = row}).value();
  EXPECT_NEAR(seen.estimates->mean(0)[0], 0.9, 0.1);
  EXPECT_NEAR(seen.estimates->mean(0)[1], 0.1, 0.1);
}

TEST(Train, AnEngineThatNeedsMoreThanTheLogHasIsRefused) {
  const Taught taught(log_text());
  Shape shape = taught.problem.shape;
  shape.costs.push_back({"latency", Range::unknown()});
  Engine engine = Engine::make("ccb(rate=[1,1])", shape, taught.problem.options).value();
  const auto found = teach(engine, taught.log);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().find("it has no cost \"latency\"; it has dollars"), std::string::npos);
}

TEST(Train, StopsWhenAskedTo) {
  const Taught taught(log_text());
  Engine engine = Engine::make("ccb(rate=1)", taught.problem.shape, taught.problem.options).value();
  const auto stopped = teach(engine, taught.log, [](std::int64_t, std::int64_t) { return false; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.reason(), Reason::kFailed);
  EXPECT_EQ(engine.policy().state().warm, 0);
}

}  // namespace
}  // namespace rein
