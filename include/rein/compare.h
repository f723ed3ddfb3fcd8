// Compares policies on the same worlds with the same noise: the C++ form of `rein compare`.
// docs/compare.md explains how to read the result.
//
//     rein::CompareOptions options;
//     options.run.rounds = 20'000;
//     options.run.seeds = 20;
//     options.resume = "out.jsonl";              // continues a comparison that was stopped
//     auto found = rein::compare(world, policies, options).value();
//     std::string page = rein::report_page(rein::to_json(found, {.title = "my problem"}));
#pragma once

#include <string>
#include <vector>

#include "rein/figure.h"
#include "rein/grid.h"
#include "rein/run.h"

namespace rein {

struct CompareOptions {
  RunOptions run;
  // A policy that takes the key of a grid, and does not set it, is also run with each value of the
  // grid. Several grids give every combination. The best setting becomes a row of its own.
  std::vector<Grid> grids;
  // The best setting has the smallest mean regret among those that keep the budget. A setting keeps
  // the budget if its mean spend of each cost exceeds the budget by at most this share of it. A
  // cost without a budget has the limit 0, and the share is of T times the largest cost. If no
  // setting keeps the budget, the best setting is the one with the smallest excess.
  double slack = 0.01;
  bool all_pairs = false;  // false: only the first row against every other
  // File of finished plays: read at the start, extended after each play. Empty: no file.
  std::string resume;
  bool fresh = false;  // discard what the file holds
};

// One policy of the comparison.
struct Row {
  std::size_t run = 0;  // index into Comparison::result.policies
  Spec given;           // as the caller gave it
  int tried = 0;        // grid settings tried for this policy; 0 if it takes none of the keys
  bool best = false;    // whether this is the best of the settings tried
};

// Differences a - b, paired by seed so that common noise cancels. The regret is NaN if the two are
// measured against different benchmarks.
struct Pair {
  std::size_t a = 0;  // indices into Comparison::rows
  std::size_t b = 0;
  Figure reward;
  Figure regret;
  std::vector<Figure> ccv;
};

struct Comparison {
  RunResult result;  // every setting that was run, including those of the grids
  std::vector<Row> rows;
  std::vector<Pair> pairs;
  std::size_t restored = 0;  // number of plays read from the file
};

// Runs the comparison. The numbers do not depend on the number of threads, nor on how often the
// comparison was stopped and resumed.
Result<Comparison> compare(const Spec& world, const std::vector<Spec>& policies,
                           const CompareOptions& options);

}  // namespace rein
