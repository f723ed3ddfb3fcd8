// Status: one word on how a policy's run goes, from what it has counted. docs/status.md defines
// every word.
#pragma once

#include "rein/policy.h"

namespace rein {

// What the status is judged by. Amounts are in units; lists have one entry per cost, or none where
// nothing is known.
struct StatusAccounts {
  std::int64_t rounds = 0;   // learned
  std::int64_t horizon = 0;  // 0: unknown
  Costs spent;
  Costs sizes;         // sums of absolute costs
  Costs rates;         // budgets per round
  bool paced = false;  // they follow what was spent: a debt says nothing
  Costs least;         // the least that a round can cost, by recent estimates
};

struct Judgement {
  Status status = Status::kOk;
  int cost = -1;  // the cost that it is about; -1: none
};

// `changed` and `misfit`: an alarm rings.
Judgement judge(const StatusAccounts& accounts, bool changed, bool misfit);

}  // namespace rein
