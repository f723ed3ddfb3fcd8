// Status: how the run of a policy goes, in one word, from what the policy has counted.
// docs/status.md defines every word.
#pragma once

#include "rein/policy.h"

namespace rein {

// The numbers that the status is computed from. Amounts are in units; lists have one entry per
// cost, or are empty where nothing is known.
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
