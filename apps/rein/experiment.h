// The options that run and compare share: world, policies, rounds, seeds.
#pragma once

#include <string>
#include <vector>

#include "live.h"
#include "rein/run.h"
#include "verbs.h"

namespace rein::app {

struct ExperimentWords {
  std::string world = "linear(k=8,d=8)";
  std::vector<std::string> policies;
  std::string rounds;  // empty: all rows of a table, 10000 otherwise
  std::string seeds = "8";
  std::string first_seed = "1";
  std::string threads = "0";
  double margin = 0.0;
  double share = 0.99;
  bool no_long_term = false;
  bool references = false;
  std::string learner = "vaw";
  std::string delay = "0";
  LiveWords live;
};

struct Experiment {
  Spec world;
  std::vector<Spec> policies;
  RunOptions options;
};

void add_experiment(CLI::App& verb, ExperimentWords& words);
// Throws UsageError if an option is invalid.
Experiment read_experiment(const ExperimentWords& words);

}  // namespace rein::app
