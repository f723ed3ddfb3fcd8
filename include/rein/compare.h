// Comparing policies on the same worlds and the same noise: what `rein compare` does, for programs.
// docs/compare.md says how to read what comes out.
//
//     rein::CompareOptions options;
//     options.run.rounds = 20'000;
//     options.run.seeds = 20;
//     options.resume = "out.jsonl";              // a stopped comparison goes on where it was
//     auto found = rein::compare(world, policies, options).value();
//     std::string page = rein::report_page(rein::to_json(found, {.title = "my problem"}));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rein/evaluate.h"

namespace rein {

// Values of one key of a policy that are tried in turn, for tuning.
struct Grid {
  std::string key;
  std::vector<double> values;
};
// The most values of a grid, and the most settings of one policy with all grids together.
inline constexpr int kMaxGrid = 1024;
// "gamma_scale=0.25,0.5,1,2"
Result<Grid> parse_grid(std::string_view text);

struct CompareOptions {
  RunOptions run;
  // Every policy that takes a key, and does not set it itself, is also run with each of its values
  // (with several grids: with every combination), and the best of them becomes a row of its own.
  std::vector<Grid> grids;
  // The best is the one with the least mean regret among those whose mean spend of every cost
  // passes the world's budget (0 where it has none) by at most this share of it (of T times the
  // largest cost, where there is none). Where no setting does, it is the one that comes closest.
  double slack = 0.01;
  bool all_pairs = false;  // otherwise the first row against every other
  // A file that finished plays are added to as they come, and read from; empty for none.
  std::string resume;
  bool fresh = false;  // forget what the file holds
};

// A policy of the comparison.
struct Row {
  std::size_t run = 0;  // index into Comparison::result.policies
  Spec given;           // as it was asked for
  int tried = 0;        // settings of the grids that were tried for it; 0 where it takes none
  bool best = false;    // the best of those
};

// a less b, seed by seed: the noise that both met cancels. Regret is NaN where the two are measured
// by different benchmarks.
struct Pair {
  std::size_t a = 0;  // indices of rows
  std::size_t b = 0;
  Figure reward;
  Figure regret;
  std::vector<Figure> ccv;
};

struct Comparison {
  RunResult result;  // every setting that was run, those of the grids included
  std::uint64_t first_seed = 1;
  std::vector<Row> rows;
  std::vector<Pair> pairs;
  std::size_t restored = 0;  // plays that came from the file
};

// The numbers do not depend on threads, nor on how often the comparison was stopped and resumed.
Result<Comparison> compare(const Spec& world, const std::vector<Spec>& policies,
                           const CompareOptions& options);

}  // namespace rein
