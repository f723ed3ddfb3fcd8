#include "rein/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "evaluate/bits.h"
#include "evaluate/grid.h"
#include "evaluate/play_line.h"
#include "evaluate/temp_path.h"

namespace rein {
namespace {

using testing::HasSubstr;

CompareOptions small(const std::string& resume = "") {
  CompareOptions options;
  options.run = {.rounds = 150, .seeds = 3, .threads = 1, .curve_points = 5};
  options.resume = resume;
  return options;
}

const char* kWorld = "linear(k=3,d=3,m=2)";
const char* kPolicies = "ccb(setting=expectation,tuning=theory),squarecb,uniform";

Result<Comparison> try_compare(const CompareOptions& options, const char* world = kWorld,
                               const char* policies = kPolicies) {
  return compare(parse_spec(world).value(), parse_specs(policies).value(), options);
}

TEST(CompareTest, ARestartAtEveryLineGivesTheSameResult) {
  const auto plain = bits_of(try_compare(small()).value().result);
  const TempPath path("every_line");
  EXPECT_EQ(bits_of(try_compare(small(path.str())).value().result), plain);
  const std::string whole = path.read();
  std::size_t lines = 0;
  for (std::size_t end = 0; (end = whole.find('\n', end)) != std::string::npos; ++end) {
    path.write(whole.substr(0, end + 1));
    const Comparison resumed = try_compare(small(path.str())).value();
    EXPECT_EQ(bits_of(resumed.result), plain);
    EXPECT_EQ(resumed.restored, lines);
    ++lines;
  }
  EXPECT_EQ(lines, 1 + 3 * 3u);  // a header, then one line per policy and seed
}

TEST(CompareTest, ALineThatWasNotFinishedIsIgnored) {
  const TempPath path("truncated");
  const auto plain = bits_of(try_compare(small(path.str())).value().result);
  const std::string whole = path.read();
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  const std::size_t header = whole.find('\n');
  for (std::size_t cut : {last + 1, last + 40, whole.size() - 1, header - 3, std::size_t{1}}) {
    path.write(whole.substr(0, cut));
    const Comparison resumed = try_compare(small(path.str())).value();
    EXPECT_EQ(resumed.restored, cut > header ? 8u : 0u) << cut;
    EXPECT_EQ(bits_of(resumed.result), plain);
    // The file is complete again: no play is missing.
    EXPECT_EQ(try_compare(small(path.str())).value().restored, 9u);
  }
}

TEST(CompareTest, NumbersDoNotDependOnThreadsOrOrder) {
  const TempPath path("threads");
  CompareOptions options = small(path.str());
  options.run.threads = 3;
  const auto bits = bits_of(try_compare(options).value().result);
  EXPECT_EQ(bits, bits_of(try_compare(small()).value().result));
  // Lines in another order.
  std::istringstream lines(path.read());
  std::string header, line, reversed;
  std::getline(lines, header);
  while (std::getline(lines, line)) reversed.insert(0, line + "\n");
  path.write(header + "\n" + reversed);
  EXPECT_EQ(bits, bits_of(try_compare(small(path.str())).value().result));
}

TEST(CompareTest, MorePoliciesAndSeedsGoOnInTheSameFile) {
  const TempPath path("more");
  CompareOptions options = small(path.str());
  options.run.seeds = 2;
  try_compare(options, kWorld, "uniform").check();
  options.run.seeds = 3;
  const Comparison more = try_compare(options).value();
  EXPECT_EQ(more.restored, 2u);
  EXPECT_EQ(bits_of(more.result), bits_of(try_compare(small()).value().result));
}

TEST(CompareTest, RefusesAFileOfAnotherRunAndLeavesItAsItIs) {
  const TempPath path("other");
  try_compare(small(path.str())).check();
  const std::string before = path.read();
  CompareOptions options = small(path.str());
  options.run.rounds = 200;
  EXPECT_THAT(try_compare(options).error(),
              HasSubstr("is of another run: rounds is 150 there and 200 here"));
  EXPECT_THAT(try_compare(small(path.str()), "linear(k=4,d=3,m=2)").error(),
              HasSubstr("world is linear(d=3,k=3,m=2) there"));
  EXPECT_EQ(path.read(), before);
  options.fresh = true;
  EXPECT_EQ(try_compare(options).value().restored, 0u);

  for (const char* text : {"my notes\n", "my notes", "{\"a\":1}\n", "[]\n"}) {
    path.write(text);
    EXPECT_THAT(try_compare(small(path.str())).error(), HasSubstr("was not written by rein"));
    EXPECT_EQ(path.read(), text);
    CompareOptions fresh = small(path.str());
    fresh.fresh = true;
    EXPECT_THAT(try_compare(fresh).error(), HasSubstr("was not written by rein"));
    EXPECT_EQ(path.read(), text);
  }
}

TEST(CompareTest, ADamagedLineIsNamed) {
  const TempPath path("damaged");
  try_compare(small(path.str())).check();
  const std::string whole = path.read();
  const std::size_t second = whole.find('\n') + 1;
  std::string text = whole;
  text[second] = 'x';
  path.write(text);
  EXPECT_THAT(try_compare(small(path.str())).error(), HasSubstr("line 2: it is not JSON"));
  text = whole;
  text.replace(text.find("\"regret\""), 8, "\"regrex\"");
  path.write(text);
  EXPECT_THAT(try_compare(small(path.str())).error(),
              HasSubstr("line 2: \"regret\" is missing or of the wrong type"));
  EXPECT_THAT(try_compare(small("/nowhere/at/all.jsonl")).error(),
              HasSubstr("cannot open /nowhere/at/all.jsonl"));
}

TEST(CompareTest, LinesReadBackAsTheSameDoubles) {
  PlayResult finished;
  finished.totals.seed = 9007199254740993u;
  finished.totals.reward = 0.1 + 0.2;
  finished.totals.regret = -1e-300;
  finished.totals.premise = NAN;
  finished.totals.ccv = {1.0 / 3.0};
  for (Costs* costs :
       {&finished.totals.ccv_max, &finished.totals.ccv_average, &finished.totals.ccv_positive,
        &finished.totals.ccv_share, &finished.totals.spend, &finished.totals.excess}) {
    *costs = {3.0};
  }
  finished.totals.bounds.regret = 5e17;
  finished.totals.bounds.ccv_average = {INFINITY};
  finished.totals.no_bound = NoBound::kDelay;
  finished.totals.explored = -0.0;
  finished.totals.u = -INFINITY;
  finished.totals.queue_rms = {4.9e-324};
  const PlayLine line = read_play_line(write_play_line("a \"b\"\n", finished)).value();
  EXPECT_EQ(line.policy, "a \"b\"\n");
  const Totals& totals = line.result.totals;
  EXPECT_EQ(totals.seed, finished.totals.seed);
  EXPECT_EQ(totals.reward, 0.1 + 0.2);
  EXPECT_EQ(totals.regret, -1e-300);
  EXPECT_TRUE(std::isnan(totals.premise));
  EXPECT_EQ(totals.ccv[0], 1.0 / 3.0);
  EXPECT_EQ(totals.bounds.regret, 5e17);
  EXPECT_TRUE(totals.bounds.queue_rms.empty());
  EXPECT_EQ(totals.bounds.ccv_average[0], INFINITY);
  EXPECT_EQ(totals.no_bound, NoBound::kDelay);
  EXPECT_TRUE(totals.explored == 0.0 && std::signbit(totals.explored));
  EXPECT_EQ(totals.u, -INFINITY);
  EXPECT_EQ(totals.queue_rms[0], 4.9e-324);
}

TEST(CompareTest, PairsAreDifferencesSeedBySeed) {
  CompareOptions options = small();
  const Comparison found = try_compare(options).value();
  ASSERT_EQ(found.pairs.size(), 2u);
  const auto& first = found.result.policies[0].totals;
  const auto& last = found.result.policies[2].totals;
  std::vector<double> rewards, costs;
  for (std::size_t s = 0; s < 3; ++s) {
    rewards.push_back(first[s].reward - last[s].reward);
    costs.push_back(first[s].ccv[1] - last[s].ccv[1]);
  }
  EXPECT_EQ(found.pairs[1].b, 2u);
  EXPECT_EQ(found.pairs[1].reward.mean, figure(rewards).mean);
  EXPECT_EQ(found.pairs[1].reward.low, figure(rewards).low);
  EXPECT_EQ(found.pairs[1].ccv[1].high, figure(costs).high);
  // With the same noise, the difference of a policy to itself is 0.
  const Comparison same = try_compare(options, kWorld, "ccb,ccb(optimism=1)").value();
  EXPECT_EQ(same.pairs[0].reward.low, 0.0);
  EXPECT_EQ(same.pairs[0].reward.high, 0.0);
  options.all_pairs = true;
  EXPECT_EQ(try_compare(options).value().pairs.size(), 3u);
}

TEST(CompareTest, RegretsAgainstDifferentBenchmarksHaveNoDifference) {
  const Comparison found =
      try_compare(small(), "linear(k=3,d=3,noise=none)",
                  "ccb(setting=expectation,tuning=theory),ccb(setting=almost_sure,tuning=theory)")
          .value();
  EXPECT_TRUE(std::isnan(found.pairs[0].regret.mean));
  EXPECT_FALSE(std::isnan(found.pairs[0].reward.mean));
}

TEST(CompareTest, AGridKeepsThePolicyAsGivenAndTheBest) {
  CompareOptions options = small();
  options.grids = {parse_grid("gamma_scale=1,100,10000").value()};
  options.slack = 1.0;  // everything is within the slack: the smallest regret wins
  const Comparison found =
      try_compare(options, "linear(k=3,d=3,noise=none)", "squarecb,squarecb(gamma_scale=2),uniform")
          .value();
  ASSERT_EQ(found.rows.size(), 4u);
  EXPECT_EQ(found.rows[0].tried, 3);
  EXPECT_FALSE(found.rows[0].best);
  EXPECT_TRUE(found.rows[1].best);
  EXPECT_EQ(found.rows[2].tried, 0);  // it sets the key itself
  EXPECT_EQ(found.rows[3].tried, 0);  // it does not take it
  EXPECT_EQ(found.rows[1].given.str(), "squarecb");
  // Of the three, none has less regret; the given one is the value 1 and is not run twice.
  EXPECT_EQ(found.result.policies.size(), 5u);
  const auto mean = [&](std::size_t p) {
    std::vector<double> values;
    for (const Totals& t : found.result.policies[p].totals) values.push_back(t.regret);
    return figure(values).mean;
  };
  for (std::size_t p = 0; p < found.result.policies.size(); ++p) {
    const std::string spec = found.result.policies[p].spec.str();
    if (spec == "uniform" || spec == "squarecb(gamma_scale=2)") continue;
    EXPECT_LE(mean(found.rows[1].run), mean(p)) << spec;
  }
}

TEST(CompareTest, GridsMultiplyAndTheDefaultIsThePolicyItself) {
  const std::vector<Grid> grids = {parse_grid("gamma_scale=1,4").value(),
                                   parse_grid("v_scale=0.1,1,2").value()};
  const Settings settings = settings_of(parse_spec("ccb(tuning=theory)").value(), grids);
  EXPECT_EQ(settings.tried.size(), 6u);
  EXPECT_EQ(settings.specs.size(), 6u);  // one of the six is the policy itself
  EXPECT_EQ(settings_of(parse_spec("squarecb").value(), grids).tried.size(), 2u);
  EXPECT_TRUE(settings_of(parse_spec("uniform").value(), grids).tried.empty());
}

// Three policies with these regrets and excesses, a budget of 100.
RunResult made_result(const std::vector<std::pair<double, double>>& regret_and_excess) {
  RunResult result{.rounds = 1000, .costs = {"cost"}, .budgets = {100.0}};
  for (const auto& [regret, excess] : regret_and_excess) {
    Totals totals;
    totals.regret = regret;
    totals.spend = {100.0 + excess};
    result.policies.push_back({.totals = {totals}});
  }
  return result;
}

TEST(CompareTest, TheBestKeepsTheBudgetBeforeItEarns) {
  const std::vector<double> units = {1.0};
  const std::vector<std::size_t> all = {0, 1, 2};
  EXPECT_EQ(best_of(made_result({{5, 0}, {3, 0.9}, {1, 50}}), all, units, 0.01), 1u);
  EXPECT_EQ(best_of(made_result({{5, 0}, {3, 0.9}, {1, 50}}), all, units, 0.0), 0u);
  EXPECT_EQ(best_of(made_result({{5, 0}, {3, 0.9}, {1, 50}}), all, units, 1.0), 2u);
  // None keeps it: the closest.
  EXPECT_EQ(best_of(made_result({{5, 9}, {3, 20}, {1, 50}}), all, units, 0.01), 0u);
}

TEST(CompareTest, WrongGridsAreRefused) {
  EXPECT_THAT(parse_grid("gamma_scale").error(), HasSubstr("accepted: KEY=NUMBER"));
  EXPECT_THAT(parse_grid("gamma_scale=1,,2").error(), HasSubstr("accepted: KEY=NUMBER"));
  EXPECT_THAT(parse_grid("=1").error(), HasSubstr("accepted: KEY=NUMBER"));
  CompareOptions options = small();
  options.grids = {{"gamma_scale", {1.0, 2.0}}};
  EXPECT_THAT(try_compare(options, kWorld, "uniform").error(),
              HasSubstr("no policy here takes the key \"gamma_scale\""));
  EXPECT_THAT(try_compare(options, kWorld, "squarecb(gamma_scale=3)").error(),
              HasSubstr("without setting it"));
  options.grids = {{"gamma_scale", {}}};
  EXPECT_THAT(try_compare(options).error(), HasSubstr("grid: 0 settings"));
  options.grids = {{"gamma_scale", std::vector<double>(2000, 1.0)}};
  EXPECT_THAT(try_compare(options).error(), HasSubstr("accepted: 1 to 1024"));
  options.grids = {};
  options.slack = NAN;
  EXPECT_THAT(try_compare(options).error(), HasSubstr("slack"));
}

}  // namespace
}  // namespace rein
