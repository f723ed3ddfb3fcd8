#include "rein/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "evaluate/bits.h"
#include "evaluate/temp_path.h"

namespace rein {
namespace {

using testing::HasSubstr;

const Spec kSweepWorld = parse_spec("linear(k=3,d=3,m=2)").value();
const std::vector<Spec> kSweepPolicies =
    parse_specs("ccb(setting=expectation,tuning=theory),squarecb,uniform").value();

CompareOptions small_sweep(const std::string& resume = "") {
  CompareOptions options;
  options.run = {.rounds = 40, .seeds = 3, .first_seed = 5, .threads = 1, .curve_points = 5};
  options.grids = {parse_grid("gamma_scale=1,4").value()};
  options.all_pairs = true;
  options.resume = resume;
  return options;
}

Sweep open(const CompareOptions& options) {
  return Sweep::open(kSweepWorld, kSweepPolicies, options).value();
}

// The plays in this order, cut into calls of at most this many.
std::vector<std::string> lines_of(const std::vector<Play>& plays, std::size_t together,
                                  const RunOptions& options) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < plays.size(); at += together) {
    const auto end =
        plays.begin() + static_cast<std::ptrdiff_t>(std::min(plays.size(), at + together));
    const auto begin = plays.begin() + static_cast<std::ptrdiff_t>(at);
    const auto some = play_lines(kSweepWorld, {begin, end}, options).value();
    lines.insert(lines.end(), some.begin(), some.end());
  }
  return lines;
}

void expect_same(const Comparison& a, const Comparison& b) {
  EXPECT_EQ(bits_of(a.result), bits_of(b.result));
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t r = 0; r < a.rows.size(); ++r) EXPECT_EQ(a.rows[r].run, b.rows[r].run);
  ASSERT_EQ(a.pairs.size(), b.pairs.size());
  for (std::size_t p = 0; p < a.pairs.size(); ++p) {
    EXPECT_EQ(a.pairs[p].reward.low, b.pairs[p].reward.low);
  }
}

TEST(SweepTest, PlaysAreEverySettingOnEverySeed) {
  const std::vector<Play> plays = open(small_sweep()).plays();
  // Two of the three take the key, whose value 1 is the policy itself: 5 settings, 3 seeds.
  ASSERT_EQ(plays.size(), 15u);
  for (std::size_t i = 0; i < plays.size(); ++i) EXPECT_EQ(plays[i].seed, 5 + i / 5);
}

RC_GTEST_PROP(SweepTest, AnySplitAndAnyOrderGiveTheBitsOfCompare, ()) {
  static const Comparison plain = compare(kSweepWorld, kSweepPolicies, small_sweep()).value();
  Sweep sweep = open(small_sweep());
  std::vector<Play> plays = sweep.plays();
  for (std::size_t i = plays.size() - 1; i > 0; --i) {
    std::swap(plays[i], plays[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  const auto together = *rc::gen::inRange<std::size_t>(1, plays.size() + 1);
  RunOptions options = sweep.options();
  options.seeds = 1;
  options.threads = *rc::gen::inRange(1, 4);
  for (const std::string& line : lines_of(plays, together, options)) sweep.add(line).check();
  RC_ASSERT(sweep.plays().empty());
  expect_same(sweep.compare().value(), plain);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(SweepTest, WhatIsMissingIsPlayedHere) {
  Sweep sweep = open(small_sweep());
  const std::vector<Play> plays = sweep.plays();
  for (const std::string& line : lines_of({plays[3], plays[11]}, 2, sweep.options())) {
    sweep.add(line).check();
  }
  EXPECT_EQ(sweep.plays().size(), 13u);
  expect_same(sweep.compare().value(), compare(kSweepWorld, kSweepPolicies, small_sweep()).value());
}

TEST(SweepTest, LinesGoIntoTheFileAsTheyCome) {
  const TempPath path("sweep");
  std::vector<std::string> lines;
  {
    Sweep sweep = open(small_sweep(path.str()));
    lines = lines_of(sweep.plays(), 4, sweep.options());
    for (std::size_t i = 0; i < 7; ++i) sweep.add(lines[i]).check();
    sweep.add(lines[3]).check();  // again: it stays as it was
    EXPECT_THAT(path.read(), HasSubstr(lines[6]));
    EXPECT_EQ(Sweep::open(kSweepWorld, kSweepPolicies, small_sweep(path.str())).error(),
              "results: " + path.str() + " is in use by another program that is running");
  }  // and is stopped here
  const std::string text = path.read();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 7);
  Sweep sweep = open(small_sweep(path.str()));
  EXPECT_EQ(sweep.plays().size(), 8u);
  for (std::size_t i = 7; i < lines.size(); ++i) sweep.add(lines[i]).check();
  const Comparison found = sweep.compare().value();
  EXPECT_EQ(found.restored, 7u);
  expect_same(found, compare(kSweepWorld, kSweepPolicies, small_sweep()).value());
}

TEST(SweepTest, RunIsWhatRunGives) {
  const std::vector<Spec> policies = parse_specs("uniform,squarecb").value();
  CompareOptions options = small_sweep();
  options.grids.clear();
  const auto twice =
      Sweep::open(kSweepWorld, parse_specs("uniform,squarecb,uniform").value(), options);
  EXPECT_EQ(twice.error(), "run: policy uniform is given twice; accepted: different ones");
  Sweep sweep = Sweep::open(kSweepWorld, policies, options).value();
  const std::vector<Play> plays = sweep.plays();
  EXPECT_EQ(plays.size(), 6u);
  for (const std::string& line : lines_of(plays, 1, sweep.options())) sweep.add(line).check();
  EXPECT_EQ(bits_of(sweep.run().value()), bits_of(run(kSweepWorld, policies, options.run).value()));
}

TEST(SweepTest, LinesOfOtherPlaysAreRefused) {
  Sweep sweep = open(small_sweep());
  const auto line = [&](const char* policy, std::uint64_t seed, int points = 5) {
    RunOptions options = sweep.options();
    options.curve_points = points;
    return play_lines(kSweepWorld, {{parse_spec(policy).value(), seed}}, options).value()[0];
  };
  EXPECT_THAT(sweep.add("{}").error(), HasSubstr("lacks one of policy"));
  EXPECT_THAT(sweep.add(line("greedy", 5)).error(), HasSubstr("policy greedy, seed 5"));
  EXPECT_THAT(sweep.add(line("uniform", 4)).error(), HasSubstr("accepted: plays of this sweep"));
  EXPECT_THAT(sweep.add(line("uniform", 8)).error(), HasSubstr("seed 8"));
  EXPECT_THAT(sweep.add(line("uniform", 5, 7)).error(), HasSubstr("costs or points"));
  EXPECT_EQ(sweep.plays().size(), 15u);
}

TEST(SweepTest, WhatDoesNotFitIsRefusedBeforeAnythingIsSent) {
  CompareOptions options = small_sweep();
  options.run.seeds = 2'000'000'000;
  EXPECT_THAT(Sweep::open(kSweepWorld, kSweepPolicies, options).error(),
              HasSubstr("seeds is 2000000000"));
  const auto policies = parse_specs("ccb(budget=-1)").value();
  EXPECT_THAT(Sweep::open(kSweepWorld, policies, small_sweep()).error(), HasSubstr("budget"));
  EXPECT_THAT(play_lines(kSweepWorld, {{policies[0], 1}}, small_sweep().run).error(),
              HasSubstr("budget"));
  EXPECT_TRUE(play_lines(kSweepWorld, {}, small_sweep().run).value().empty());
}

}  // namespace
}  // namespace rein
