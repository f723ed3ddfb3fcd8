// The table of worlds. A new one is a pair of files and a line here.
#include "base/catalog.h"

#include <fmt/format.h>

#include "rein/catalog.h"
#include "rein/world.h"
#include "world/finite.h"
#include "world/fixed_context.h"
#include "world/heavy.h"
#include "world/linear.h"
#include "world/misspecified.h"
#include "world/nonlinear.h"
#include "world/own.h"
#include "world/scaled.h"
#include "world/slack_then_trap.h"
#include "world/spend_or_save.h"
#include "world/subset.h"
#include "world/table.h"
#include "world/two_arm.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<World>> (*)(const Spec&, std::uint64_t, std::int64_t);

constexpr TableRow<Make> kTable[] = {
    {{"linear",
      "means linear in action features; contexts by chance, in blocks, or by an adversary",
      "block=500,budget,candidates=8,costs=signed|positive,d=8,k=8,m=1,margin=0.1,"
      "noise=rademacher|gaussian|low|none,order=iid|switching|cyclic|drift|adaptive,period=50,rate,"
      "safe,sd=0.25,target=uncertainty|queue,tension=0.6,turns=1"},
     make_linear},
    {{"finite", "a list of functions over finitely many contexts, one of which is the truth",
      "budget,contexts=5,costs=signed|positive,k=4,m=1,margin=0.1,n=16,"
      "noise=rademacher|gaussian|low|none,order=iid|cyclic,rate,safe,sd=0.25,tension=0.6"},
     make_finite},
    {{"heavy", "actions whose costs differ by a factor of 500, under a budget",
      "budget,d=4,k=5,m=1,noise=low|rademacher|gaussian|none,rate=0.05,ratio=500,sd=0.25"},
     make_heavy},
    {{"nonlinear", "means that bend; no linear function of the context can see them",
      "budget,costs=signed|positive,d=3,k=4,kind=smooth|steps,m=1,margin=0.1,"
      "noise=gaussian|rademacher|low|none,rate,safe,sd=0.25,tension=0.5"},
     make_nonlinear},
    {{"misspecified", "linear means with a nonlinear part of any strength; 0 is realizable",
      "budget,costs=signed|positive,d=4,k=4,kind=smooth|steps,m=1,margin=0.1,"
      "noise=gaussian|rademacher|low|none,rate,safe,sd=0.25,strength=1,tension=0.5"},
     make_misspecified},
    {{"fixed_context", "SquareCBwK's own experiment: one context, four resources, a null action",
      "budget,d=10,k=3,m=4,noise=gaussian|rademacher|low|none,rate=0.25,sd=0.2"},
     make_fixed_context},
    {{"two_arm", "one arm earns and saves, the other does neither; shows why prices stay positive",
      ""},
     make_two_arm},
    {{"spend_or_save",
      "half the rounds are medium, the rest all high or all low; a budget for half",
      "budget,future=random|high|low,high=1,low=0,medium=0.5,noise=none|rademacher|gaussian|low,"
      "rate=0.5,sd=0.25"},
     make_spend_or_save},
    {{"slack_then_trap", "first the best action saves, then it costs; tells queues apart",
      "noise=none|rademacher|gaussian|low,sd=0.25,slack=0.25"},
     make_slack_then_trap},
    {{"scaled", "another world in other units: rewards, costs and budgets times a factor",
      "cost=1,of=linear,reward=1,room=1"},
     make_scaled},
    {{"subset", "another world, of whose actions only some are offered in each round",
      "always=-1,of=linear,share=0.6"},
     make_subset},
    {{"table", "a real problem, from a CSV file with the outcome of every action in every round",
      "budget,context=x_,cost=c,cost_range,file,names,order=shuffled|file,rate,repeat=0,reward=r,"
      "reward_range"},
     make_table},
};

}  // namespace

std::vector<Entry> worlds() { return entries_of(kTable); }

Result<std::unique_ptr<World>> make_world(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds) {
  // Only a table has a length of its own, which 0 asks for; other worlds may hold one.
  const bool may_hold = spec.name == "table" || spec.name == "subset" || spec.name == "scaled";
  const std::int64_t fewest = may_hold ? 0 : 1;
  if (rounds < fewest || rounds > kMaxHorizon) {
    return Error{
        fmt::format("world: found {} rounds; accepted: {} to {}", rounds, fewest, kMaxHorizon)};
  }
  if (spec.name == "own") return make_own_world(spec, seed, rounds);  // not ours to list
  return make_from(kTable, "world spec", spec, seed, rounds);
}

Result<std::unique_ptr<World>> make_world(std::string_view spec, std::uint64_t seed,
                                          std::int64_t rounds) {
  auto parsed = parse_spec(spec, "world spec");
  if (!parsed) return Error{parsed.error()};
  return make_world(parsed.value(), seed, rounds);
}

}  // namespace rein
