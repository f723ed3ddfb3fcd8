// Plan: the keys that every policy with an oracle takes (rounds, budget, rate, u, oracle), read
// once, and the terms that follow from them and the shape. Policies that estimate rewards and costs
// apart also take reward_oracle and cost_oracle: short for oracle=pair(reward=...,cost=...).
#pragma once

#include <memory>

#include "base/spec_reader.h"
#include "rein/oracle.h"
#include "rein/pricer.h"
#include "rein/shape.h"

namespace rein {

struct Plan {
  Shape shape;  // what rounds and outcomes are checked against
  Terms terms;
  std::unique_ptr<Oracle> oracle;
};

// The keys, as they were given. Reads them; asks nothing of the shape yet.
struct PlanKeys {
  // kTwo: reward_oracle and cost_oracle are keys. kReward: the policy ignores costs, and
  // budget and rate are not keys.
  enum class Classes { kReward, kOne, kTwo };
  explicit PlanKeys(SpecReader& read, std::string_view usual_oracle = "vaw",
                    Classes classes = Classes::kOne);
  PlanKeys(SpecReader& read, Classes classes) : PlanKeys(read, "vaw", classes) {}

  std::int64_t rounds;          // 0: not given
  std::vector<double> budgets;  // totals; empty: not given
  std::vector<double> rates;    // per round; empty: not given
  std::optional<double> u;
  Spec oracle;
};

// True where a budget is known, from the keys or the shape.
bool knows_budget(const PlanKeys& keys, const Shape& shape);

// Works out rounds, budgets and U, and makes the oracle. `reward_only` makes one head. `totals`:
// whether the budget of the setting must be known in total.
Result<Plan> make_plan(const PlanKeys& keys, const Shape& shape, Setting setting, bool reward_only,
                       const Own& own, bool totals = true);

}  // namespace rein
