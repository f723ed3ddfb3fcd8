// Policies on the rows of a log: those that ignore the context, and those of the catalog.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rein/policy.h"
#include "rein/replay.h"

namespace rein {

// A policy that ignores the context, by its text: uniform, action(NAME), mix(NAME=SHARE,...).
// Probabilities, rows x actions. No value: the text is not one of a fixed policy. `names` may be
// empty: actions are then 0, 1, 2, ...
Result<std::optional<std::vector<double>>> fixed_policy(const OfflineRows& rows,
                                                        const std::string& text,
                                                        const std::vector<std::string>& names);

// A policy of the catalog on the rows of a log: its shape, its rounds and its outcomes.
class LogLearner {
 public:
  // `text`: the policy's spec. `rounds`: the horizon. The ranges come from `log`, unless the options have them.
  static Result<LogLearner> make(std::string_view text, const OfflineRows& log,
                                 const LearnerOptions& options, std::int64_t rounds);

  Policy& policy() { return *policy_; }
  // Decides on a row and writes one probability per action of the log. Returns the action's id.
  Result<int> decide(const OfflineRows& rows, std::int64_t row, double* probabilities);
  // Learns the row just decided, of which it must have drawn the action.
  Result<> learn(const OfflineRows& rows, std::int64_t row);
  // Learns a row that somebody else decided; without its outcome, the price rehearses.
  Result<> warm(const OfflineRows& rows, std::int64_t row, bool outcome);

 private:
  LogLearner(std::unique_ptr<Policy> policy, std::vector<int> heads, std::uint64_t seed);
  Round round_of(const OfflineRows& rows, std::int64_t row);
  Outcome outcome_of(const OfflineRows& rows, std::int64_t row) const;

  std::unique_ptr<Policy> policy_;
  std::vector<int> heads_;  // of the log, one per cost of the learner
  Rng rng_;
  Scratch scratch_;
  Decision decision_;
  std::vector<std::int32_t> ids_;
};

// The name of a head: that of the options, or reward, cost1, ...
std::string head_name(const LearnerOptions& options, int head);

}  // namespace rein
