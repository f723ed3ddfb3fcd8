// Live: the conditions of service that a run can have besides its world: budgets with windows, and
// outcomes whose parts come late or never. The plays of such a run go through the Engine
// (rein/engine.h), with the accounts, holds and expiry that serving has.
//
//     rein::RunOptions options;
//     options.live.budgets = {rein::parse_budget("day(amount=5,cost=dollars,per=day)").value()};
//     options.live.missing = {{"reward", 0.4}};
//
// docs/budgets.md has an example (From the command line).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rein/budget.h"

namespace rein {

struct Live {
  template <class T>
  using Named = std::vector<std::pair<std::string, T>>;

  std::vector<Budget> budgets;
  // By part ("reward" or the name of a cost): the share of rounds in which the part never comes,
  // and the number of rounds by which it is late. Parts that `late` does not name are late by
  // RunOptions::delay.
  Named<double> missing;
  Named<std::int64_t> late;
  // By scope: how many keys the scope has. Every decision is for a key that is drawn at random.
  Named<std::int64_t> keys;
  std::int64_t ticks = 1;   // of the logical clock per round; the first round is at 0
  std::int64_t expire = 0;  // rounds after which a decision expires; 0: once its last part is due

  bool used() const {
    return !budgets.empty() || !missing.empty() || !late.empty() || !keys.empty() || ticks != 1 ||
           expire != 0;
  }
};

}  // namespace rein
