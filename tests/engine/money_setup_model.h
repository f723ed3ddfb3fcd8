// What a life of the property test of budgets is made with: budgets of a menu, and others that are drawn
// from every kind of window, for everybody and per key, with carry and without, from a random start.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/money_model.h"
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

using Micros2 = std::array<std::int64_t, kModelCosts>;

inline constexpr std::array<Micros2, 3> kTwinLargest = {{{0, 0}, {250'000, 333'333}, {1'000'000, 2'000'000}}};
inline constexpr int kTwinNames[] = {4, 7};  // keys per dimension

inline double in_units(std::int64_t micros) { return static_cast<double>(micros) / 1e6; }

// What a life met, so that the test can say that it met what it is for.
struct BudgetsMet {
  std::int64_t operations = 0, decided = 0, no_money = 0, no_place = 0, expired = 0, late = 0,
               over = 0, most_open = 0, replays = 0, gave_way = 0;
};

}  // namespace rein
