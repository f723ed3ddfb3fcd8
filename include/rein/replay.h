// Policies of the catalog on a log that another policy made.
//
// A policy that learns changes with what it sees, so its value depends on its own history. A replay
// gives the policy a history out of the log (Li, Chu, Langford, Wang, WSDM 2011; Dudik, Erhan,
// Langford, Li, Statistical Science 2014, section 5). In every row the learner decides, and its
// probabilities are recorded. It lives a row, that is, learns from it, if both hold:
//   - it drew the action that the log played;
//   - a coin of probability min(1, least / propensity) kept the row.
// If `least` is at most every propensity, rows are lived with probability `least`, whatever the
// context and the history. So the rows that the learner lived are in law a real run, and their
// number says nothing about its quality. `least` is the smallest propensity of the log, or a
// quantile. With a quantile more rows are lived, but actions that the log played with a smaller
// probability are lived too rarely: the history is then not that of a real run.
//
// Two estimates of the same thing: the mean value of the policies that the learner went through in
// this replay.
//   rejection       the mean outcome of the rows that it lived
//   doubly robust   evaluate_policy() with LogReplay::target, over all rows, lived or not. Given all
//                   other rows, a row's score has the value of the learner's policy at that row as its
//                   mean. For a log of a policy that learned, that needs predictions from earlier rows
//                   only (FitOptions::forward).
// Both need rows whose contexts do not depend on earlier actions. Intervals are for this replay; they
// say nothing about how another run of the same learner would differ.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rein/offpolicy.h"

namespace rein {

// Fewer lived rows than this get a warning: the learner is still at its start.
inline constexpr std::int64_t kFewLivedRows = 200;

struct LearnerOptions {
  std::vector<std::string> heads;  // names; empty: reward, cost1, cost2, ...
  // Budgets per round, one per cost; NaN: none. If any cost has a budget, the learner sees only
  // costs with budgets; all costs are evaluated. Empty: no budgets, and the learner sees all costs.
  std::vector<double> budgets;
  // The range of the outcomes of each head. Empty, or ends of NaN: the range in the log, extended
  // to contain 0.
  std::vector<OutcomeRange> ranges;
  std::uint64_t seed = 1;
  // A function that is called with the share of rows that are done. If it returns false, the replay
  // stops with an error of reason kFailed.
  std::function<bool(double)> progress;
};

struct ReplayOptions {
  LearnerOptions learner;
  // The horizon of the learner, after which the replay ends. A spec with `rounds=` overrides it. 0:
  // m - 2 sqrt(m), where m is the expected number of lived rows.
  std::int64_t rounds = 0;
  double quantile = 0.0;  // of the propensities, for `least`; 0: the smallest. In [0, 1)
};

struct LogReplay {
  std::string policy;         // the spec in its printed form
  std::int64_t horizon = 0;   // the horizon that the learner was given
  std::int64_t rows = 0;      // rows of the log until it ended
  std::int64_t accepted = 0;  // rows that it lived
  double least = 0.0;
  PolicyValue rejection;       // no interval if it lived fewer than kSmallestEffectiveSize rows
  std::vector<double> target;  // rows x actions: its probabilities
  std::vector<std::string> warnings;
};

// REQUIRES rows with propensities. Rows with a missing outcome are decided, but never lived.
Result<LogReplay> replay_policy(const OfflineRows& rows, std::string_view spec,
                                const ReplayOptions& options = {});

// The probabilities, rows x actions, of a policy that learned the rows of `train` and then stopped
// learning. It learns as in a warm start (Part::kWarm): from every row, no matter who decided.
// `rounds` is the horizon of the policy; budgets are per round. Policies that are not compositions
// (banditq, optimistic3, pgd) cannot learn in this way and are refused.
Result<std::vector<double>> frozen_policy(const OfflineRows& train, const OfflineRows& rows,
                                          std::string_view spec,
                                          const LearnerOptions& options = {});

// The rows [first, last) of a log, as views.
OfflineRows slice(const OfflineRows& rows, std::int64_t first, std::int64_t last);

}  // namespace rein
