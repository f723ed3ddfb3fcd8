// The table of worlds. A new one is a pair of files and a line here.
#include "base/catalog.h"

#include <fmt/format.h>

#include "rein/catalog.h"
#include "rein/world.h"
#include "world/finite.h"
#include "world/fixed_context.h"
#include "world/heavy.h"
#include "world/linear.h"
#include "world/log.h"
#include "world/misspecified.h"
#include "world/nonlinear.h"
#include "world/options.h"
#include "world/own.h"
#include "world/scaled.h"
#include "world/slack_then_trap.h"
#include "world/spend_or_save.h"
#include "world/subset.h"
#include "world/table.h"
#include "world/two_arm.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<World>> (*)(const Spec&, std::uint64_t, std::int64_t,
                                                const Own&);

constexpr TableRow<Make> kTable[] = {
    {{"linear",
      "means linear in action features; contexts by chance, in blocks, or by an adversary",
      options::kLinear},
     without_own<make_linear>},
    {{"finite", "a list of functions over finitely many contexts, one of which is the truth",
      options::kFinite},
     without_own<make_finite>},
    {{"heavy", "actions whose costs differ by a factor of 500, under a budget", options::kHeavy},
     without_own<make_heavy>},
    {{"nonlinear", "means that bend; no linear function of the context can see them",
      options::kNonlinear},
     without_own<make_nonlinear>},
    {{"misspecified", "linear means with a nonlinear part of any strength; 0 is realizable",
      options::kMisspecified},
     without_own<make_misspecified>},
    {{"fixed_context", "SquareCBwK's own experiment: one context, four resources, a null action",
      options::kFixedContext},
     without_own<make_fixed_context>},
    {{"two_arm", "one arm earns and saves, the other does neither; shows why prices stay positive",
      options::kTwoArm},
     without_own<make_two_arm>},
    {{"spend_or_save",
      "half the rounds are medium, the rest all high or all low; a budget for half",
      options::kSpendOrSave},
     without_own<make_spend_or_save>},
    {{"slack_then_trap", "first the best action saves, then it costs; tells queues apart",
      options::kSlackThenTrap},
     without_own<make_slack_then_trap>},
    {{"scaled", "another world in other units: rewards, costs and budgets times a factor",
      options::kScaled},
     make_scaled},
    {{"subset", "another world, of whose actions only some are offered in each round",
      options::kSubset},
     make_subset},
    {{"table", "a real problem, from a CSV file with the outcome of every action in every round",
      options::kTable},
     without_own<make_table>},
    {{"log", "a log of past decisions: outcomes are doubly robust estimates, not what happened",
      options::kLog},
     without_own<make_log_world>},
};

}  // namespace

std::vector<Entry> worlds() { return entries_of(kTable); }

Result<std::unique_ptr<World>> make_world(const Spec& spec, std::uint64_t seed, std::int64_t rounds,
                                          const Own& own) {
  // Only a file has a length of its own, which 0 asks for; other worlds may have such a world
  // inside.
  const bool may_hold =
      spec.name == "table" || spec.name == "log" || spec.name == "subset" || spec.name == "scaled";
  const std::int64_t fewest = may_hold ? 0 : 1;
  if (rounds < fewest || rounds > kMaxHorizon) {
    return Error{
        fmt::format("world: found {} rounds; accepted: {} to {}", rounds, fewest, kMaxHorizon)};
  }
  if (spec.name == "own") return make_own_world(spec, seed, rounds, own);  // not ours to list
  return make_from(kTable, "world spec", spec, seed, rounds, own);
}

Result<std::unique_ptr<World>> make_world(std::string_view spec, std::uint64_t seed,
                                          std::int64_t rounds, const Own& own) {
  auto parsed = parse_spec(spec, "world spec");
  if (!parsed) return parsed.failure();
  return make_world(parsed.value(), seed, rounds, own);
}

}  // namespace rein
