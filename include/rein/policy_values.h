// The values of several policies on one log: reward and every cost, with what can be promised.
//
//     auto log = rein::log_rows(rein::read_log("log.csv").value()).value();
//     auto found = rein::policy_values(log.view(), {.policies = {"uniform", "action(1)"},
//                                                   .learner = {.heads = log.heads},
//                                                   .actions = log.actions});
//
// A policy is a text:
//   logged what the log did: the mean of its outcomes uniform every action offered, with equal
//   probabilities action(NAME) always this action mix(NAME=SHARE,..) actions with fixed
//   probabilities that sum to 1 SPEC of the catalog: learns while it is replayed (rein/replay.h);
//   with
//                       `frozen`, it learns the first rows of the log and is evaluated on the rest
// Probabilities that were computed elsewhere are given as a GivenPolicy.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rein/json.h"
#include "rein/offpolicy.h"
#include "rein/replay.h"

namespace rein {

inline constexpr int kMaxOfflinePolicies = 32;

struct GivenPolicy {
  std::string name;
  std::vector<double> target;  // rows x actions, for all rows of the log
};

struct PolicyValuesOptions {
  std::vector<std::string> policies;
  std::vector<GivenPolicy> given;
  // Learning policies: names of the heads, budgets per round, ranges, seed and progress.
  LearnerOptions learner;
  std::vector<std::string> actions;  // names; empty: 0, 1, 2, ...
  std::int64_t rounds = 0;           // as in ReplayOptions
  double quantile = 0.0;
  // Policies of the catalog learn the first `train` share of the rows, and every policy of the call
  // is evaluated on the others.
  bool frozen = false;
  double train = 0.5;

  FitOptions fit;  // for an adaptive log, forward is set, with at least 20 blocks
  // Predictions of the caller, rows x actions x heads, for all rows of the log; they must not depend
  // on the outcome of their own row. Empty: cross_fit() makes them.
  std::vector<double> predicted;
  ValueOptions value;
  std::vector<HeadLimit> limits;
  // Whether confidence sequences are computed. They need `learner.ranges`. A log of a policy that
  // learned gets them anyway, for the heads whose range is known.
  bool sequence = false;
  // The factor `lambda` of sensitivity_band(), at least 1. 0: no band, or 1.5 if propensities are
  // estimated.
  double sensitivity = 0.0;
};

// The difference of a policy to the first policy, on the rows that both were evaluated on. Scores
// are paired by row, so `error` is the error of the difference.
struct PairedDifference {
  // from doubly robust scores; with intervals only if both policies have intervals
  PolicyValue value;
  std::int64_t rows = 0;
};

struct PolicyLine {
  std::string name;
  std::string kind;  // logged, fixed, given, frozen or learning
  Evaluation evaluation;
  std::optional<LogReplay> replay;  // of a learning policy; without its target
  std::optional<RewardRegion> region;
  std::vector<ConfidenceSequence> sequences;   // one per head; one point each, at the last row
  std::vector<SensitivityBand> sensitivity;    // one per head
  std::optional<PairedDifference> difference;  // to the first policy; none for the first itself
};

struct PolicyValues {
  std::vector<std::string> heads, actions;
  std::vector<HeadLimit> limits;
  std::int64_t rows = 0;   // of the log
  std::int64_t units = 0;  // that its rows belong to; 0: rows are independent
  std::int64_t first = 0;  // the first row that is evaluated; earlier ones were for training
  bool adaptive = false;
  bool estimated = false;  // propensities were estimated from the log
  double lambda = 0.0;     // of the sensitivity bands; 0: none
  std::vector<PolicyLine> policies;
  std::string title, command;  // for the page; may be empty
  std::vector<std::string> warnings;  // about the log; those about a policy are in its Evaluation
};

Result<PolicyValues> policy_values(const OfflineRows& log, const PolicyValuesOptions& options);

// The values as one object of JSON (docs/evaluate.md has its keys).
Json to_value(const PolicyValues& found);

}  // namespace rein
