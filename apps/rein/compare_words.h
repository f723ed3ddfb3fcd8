// The words of rein compare, which rein merge reads again from the parts of a comparison.
#pragma once

#include <string>
#include <vector>

#include "experiment.h"
#include "output.h"
#include "rein/compare.h"

namespace rein::app {

struct CompareWords {
  ExperimentWords experiment;
  std::vector<std::string> grids;
  double slack = 0.01;
  bool all_pairs = false;
  std::string resume;
  bool fresh = false;
  std::string shard;  // K/N
  std::string title;
  OutputWords output;
};

void add_compare_options(CLI::App& app, CompareWords& given);
CompareOptions compare_options(const CompareWords& words, const RunOptions& run);
void print_comparison(const Comparison& comparison, const std::string& kept_in);

// Plays a share of the plays and writes them to PATH.json (merge.cc). `typed_words` is the command.
int shard_verb(const CompareWords& words, const std::vector<std::string>& typed_words);

}  // namespace rein::app
