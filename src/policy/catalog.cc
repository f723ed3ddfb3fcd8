// The table of policies. A new one is a pair of files and a line here.
#include "base/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/own.h"
#include "policy/ccb.h"
#include "policy/options.h"
#include "policy/own.h"
#include "policy/peers/aupd.h"
#include "policy/peers/banditq.h"
#include "policy/peers/lagrange.h"
#include "policy/peers/lincbwk.h"
#include "policy/peers/loe2d.h"
#include "policy/peers/oplb.h"
#include "policy/peers/optimistic3.h"
#include "policy/peers/pacer.h"
#include "policy/peers/pgd.h"
#include "policy/peers/squarecb.h"
#include "policy/peers/squarecbwk.h"
#include "policy/peers/unpriced.h"
#include "policy/peers/weakly_adaptive.h"
#include "policy/priced.h"
#include "policy/ranges.h"
#include "policy/safe.h"
#include "policy/stop.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<Policy>> (*)(const Spec&, const Shape&, const Own&);

constexpr TableRow<Make> kTable[] = {
    {{"ccb", "the paper's: keeps long-run costs where they were promised", options::kCcb},
     make_ccb},
    {{"squarecb", "SquareCB: the best reward, costs ignored", options::kSquarecb}, make_squarecb},
    {{"greedy", "the best estimated reward, no exploration", options::kGreedy}, make_greedy},
    {{"epsilon", "greedy but for a share of uniform rounds", options::kEpsilon}, make_epsilon},
    {{"uniform", "every action alike; learns nothing"}, without_own<make_uniform>},
    {{"loe2d", "LOE2D: prices Q / V, exploration that fades as queues grow", options::kLoe2d},
     make_loe2d},
    {{"lagrange", "LagrangeCBwLC: a bandit against Hedge over the costs", options::kLagrange},
     make_lagrange},
    {{"squarecbwk", "SquareCBwK: knapsacks by regression, prices by exponentiated gradient",
      options::kSquarecbwk},
     make_squarecbwk},
    {{"stop", "any policy, and a null action once the budget could be passed", options::kStop},
     make_stop},
    {{"priced", "fixed linear estimates and prices: what rein whatif --save-policy keeps",
      options::kPriced},
     without_own<make_priced>},
    {{"safe", "any policy, mixed with a safe action: every round keeps a limit in expectation",
      options::kSafe},
     make_safe},
    {{"lincbwk", "linCBwK: confidence bounds, multiplicative weights times Z = OPT / B",
      options::kLincbwk},
     make_lincbwk},
    {{"aupd", "AUPD: confidence bounds, a queue over b sqrt T; for small budgets", options::kAupd},
     make_aupd},
    {{"pacer", "LinUCB with a price that follows a moving average; ParetoBandit's style",
      options::kPacer},
     make_pacer},
    {{"banditq", "BanditQ: Exp3 on rewards weighed by queues; no contexts", options::kBanditq},
     make_banditq},
    {{"optimistic3", "Optimistic3: mirror descent on confidence bounds, an optimistic dual",
      options::kOptimistic3},
     make_optimistic3},
    {{"pgd", "PGD for small budgets: confidence bounds, a dual whose gradient steps double",
      options::kPgd},
     make_pgd},
    {{"oplb", "OPLB: optimistic rewards, pessimistic costs; every round keeps a limit",
      options::kOplb},
     make_oplb},
    {{"weakly_adaptive", "primal and dual of small regret on every interval; no margin is known",
      options::kWeaklyAdaptive},
     make_weakly_adaptive},
};

// A policy that ignores costs would ignore a budget too.
Result<> check_budget(const Spec& spec) {
  for (const std::string_view name : {"epsilon", "greedy", "squarecb", "uniform"}) {
    for (const std::string_view key : {"budget", "rate"}) {
      if (spec.name != name || spec.find(key) == nullptr) continue;
      return Error{
          fmt::format("policy spec: {} ignores costs, and \"{}\" would have no effect; accepted: "
                      "ccb, which keeps "
                      "budgets, or stop(at=TOTAL,null=ACTION,of={}), or a hard budget",
                      name, key, name)};
    }
  }
  return {};
}

}  // namespace

std::vector<Entry> policies() { return entries_of(kTable); }

Result<std::unique_ptr<Policy>> make_policy(const Spec& spec, const Shape& shape, const Own& own) {
  if (auto ok = validate(shape); !ok) return ok.failure();
  if (auto used = check_used(own, own_uses(spec, OwnKind::kPolicy), spec.str() + " does not use");
      !used) {
    return used.failure();
  }
  if (shape.paced && spec.name != "ccb") {
    return Error{fmt::format("policy spec: {} does not follow budgets that steer; accepted: ccb",
                             spec.name)};
  }
  if (auto ok = check_budget(spec); !ok) return ok.failure();
  const auto named = [&](const TableRow<Make>& row) { return row.entry.name == spec.name; };
  if (std::ranges::any_of(kTable, named)) {
    if (auto ok = check_known_ranges(spec, shape); !ok) return ok.failure();
  }
  if (spec.name == "own") return make_own_policy(spec, shape, own);  // not ours to list
  return make_from(kTable, "policy spec", spec, shape, own);
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view spec, const Shape& shape,
                                            const Own& own) {
  auto parsed = parse_spec(spec, "policy spec");
  if (!parsed) return parsed.failure();
  return make_policy(parsed.value(), shape, own);
}

}  // namespace rein
