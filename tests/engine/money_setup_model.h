// What a life of the property test of budgets is made with: budgets of a menu, and others that are drawn
// from every kind of window, for everybody and per key, with carry and without, from a random start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/budget.h"

namespace rein {

inline const std::vector<std::string> kMoneyCosts = {"dollars", "seconds"};

struct MoneySetup {
  std::uint64_t seed = 0;
  std::vector<Budget> budgets;
  bool steered = false;
  std::int64_t most_open = 0, remember = 0, expire_after = 0;
  int most_keys = 0;
  bool patient = false;  // outcomes come seldom, so that many decisions are open
  std::int64_t start = 0;          // the first tick
  std::int64_t early_changes = 0;  // of budgets, before the first tick
};

MoneySetup money_setup(std::uint64_t seed);

}  // namespace rein
