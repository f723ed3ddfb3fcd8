// Suite: the public benchmark for policies under budgets, the C++ form of `rein benchmark`. A fixed list of
// problems, each with a budget, seeds and a delay, and a score that overspending cannot buy.
//
//     auto found = rein::run_suite({.policies = {"ccb", "lincbwk"}}).value();
//     fmt::print("{:.1f}\n", found.policies[0].score.mean);
//
// Score of a play: the reward that was earned before the budget was first exceeded, as a share, in percent,
// of what the best choice within the budget would have earned over the whole play, knowing all means. A
// play of a policy that refuses the problem, or breaks, has 0. docs/benchmark.md has the protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rein/figure.h"
#include "rein/json.h"
#include "rein/own.h"
#include "rein/result.h"

namespace rein {

// A third of the seeds follow from this number, which is drawn when a version is released: nobody can have
// tuned a policy of an earlier version to them.
inline constexpr std::int64_t kSealedNumber = 481'516;

struct SuiteProblem {
  std::string name;
  std::string what;   // what is hard about it, in a few words
  std::string world;  // a spec; of a table with the name of its file alone
  std::int64_t rounds = 0;
  int delay = 0;
  // Of a real table: where its file is, and a hash of what is in it. Empty and 0: a world that is generated.
  std::string path;
  std::uint64_t content = 0;
};
struct SuiteProfile {
  std::vector<SuiteProblem> problems;
  int open_seeds = 0;  // 1, 2, ...
  int sealed_seeds = 0;
};
// "full": the benchmark. "small": the same problems, shorter and with fewer seeds, for a first look. `tables`: a
// folder of real tables, as scripts/benchmark_tables.py makes them, each of which is one more problem; empty: none.
Result<SuiteProfile> suite_profile(const std::string& name, const std::string& tables = "");

struct SuiteOptions {
  std::string profile = "full";
  std::vector<std::string> policies;  // specs; empty: those of ours that need nothing but a budget
  std::int64_t sealed = kSealedNumber;
  std::string tables;  // a folder of real tables; empty: none
  int threads = 0;  // 0: one per core
  // File of finished plays: read at the start, extended after each play. Empty: no file.
  std::string resume;
  Own own = {};
  std::function<void(std::int64_t, std::int64_t)> progress;  // plays done, plays in all
};

struct SuiteCell {
  std::vector<double> scores;  // one per seed: the open ones, then the sealed ones
  double spend = 0.0;          // the largest share of a budget that was spent, mean over the seeds
  double reward = 0.0;         // share of the best that was earned in all, whatever it cost, in percent
  std::string refused;         // why there is no play
};
struct SuiteLine {
  std::string policy;
  Figure score;                // mean over the problems of each seed, over the seeds
  double open = 0.0, sealed = 0.0;  // means over the seeds of each kind
  std::vector<SuiteCell> cells;     // one per problem
};
struct SuiteResult {
  std::string profile;
  std::int64_t sealed = 0;
  std::vector<std::uint64_t> seeds;
  SuiteProfile made_of;
  std::vector<SuiteLine> policies;  // the best first
  std::uint64_t protocol_hash = 0;  // of problems, rounds, delays and seeds
  std::uint64_t result_hash = 0;    // of these and of all scores
};

// Every number depends on the policies, the profile and the sealed number alone.
Result<SuiteResult> run_suite(const SuiteOptions& options);

// docs/benchmark.md has the keys.
Json to_value(const SuiteResult& result);

}  // namespace rein
