// Live budgets and outcomes in parts (rein/live.h): what a run checks and works out before its first
// round. live_play.h has the play.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluate/play.h"
#include "rein/engine.h"
#include "rein/world.h"

namespace rein {

// A part of every outcome: the reward, or a cost.
struct PartRule {
  double missing = 0.0;   // the share of rounds in which it never comes
  std::int64_t late = 0;  // in rounds
};

// Refuses what does not fit the world: names, shares, scopes without keys, a cost without a budget.
Result<> check_live(const RunOptions& options, const Shape& world);
// The reward, then every cost. REQUIRES that check_live() accepts the options.
std::vector<PartRule> part_rules(const RunOptions& options, const Shape& world);
// How much of each cost the live budgets allow in the whole run: the smallest of the budgets on
// that cost, times the number of windows. Empty without live budgets.
std::vector<double> allowed_in_all(const RunOptions& options, const Shape& world);
// A world with the same rounds, whose shape has these budgets.
std::unique_ptr<World> with_budgets(std::unique_ptr<World> world, std::vector<double> budgets);
// The engine of a play. `world` is the shape of its world.
Result<Engine> make_engine(const Spec& policy, const Shape& world, std::uint64_t seed,
                           const RunOptions& options);
// The conditions as one line of text; empty if there are none.
std::string text_of(const Live& live);

}  // namespace rein
