// The table of policies. A new one is a pair of files and a line here.
#include "base/catalog.h"

#include <fmt/format.h>

#include "policy/aupd.h"
#include "policy/banditq.h"
#include "policy/ccb.h"
#include "policy/lagrange.h"
#include "policy/lincbwk.h"
#include "policy/loe2d.h"
#include "policy/optimistic3.h"
#include "policy/own_parts.h"
#include "policy/pacer.h"
#include "policy/pgd.h"
#include "policy/squarecb.h"
#include "policy/squarecbwk.h"
#include "policy/stop.h"
#include "policy/unpriced.h"
#include "policy/weakly_adaptive.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<Policy>> (*)(const Spec&, const Shape&, const Own&);

// Of a policy that uses nothing of the caller's own.
template <auto make>
Result<std::unique_ptr<Policy>> plain(const Spec& spec, const Shape& shape, const Own&) {
  return make(spec, shape);
}

constexpr TableRow<Make> kTable[] = {
    {{"ccb", "the paper's: keeps long-run costs where they were promised",
      "alarm,budget,cost_oracle,explorer=igw,gain,gamma_scale=1,horizon=1,lambda_scale=1,oracle="
      "vaw,"
      "pricer,rate,reward_oracle,rounds,setting,tuning=auto|theory,u,v_scale=1"},
     make_ccb},
    {{"squarecb", "SquareCB: the best reward, costs ignored",
      "budget,delta=0.05,explorer=square,gain,gamma_scale=1,oracle=vaw,rate,rounds,u"},
     plain<make_squarecb>},
    {{"greedy", "the best estimated reward, no exploration", "budget,oracle=vaw,rate,rounds,u"},
     plain<make_greedy>},
    {{"epsilon", "greedy but for a share of uniform rounds",
      "budget,epsilon=0.1,oracle=vaw,rate,rounds,u"},
     plain<make_epsilon>},
    {{"uniform", "every action alike; learns nothing", ""}, plain<make_uniform>},
    {{"loe2d", "LOE2D: prices Q / V, exploration that fades as queues grow",
      "balanced=0|1,budget,cost_oracle,gamma_scale=1,oracle=vaw,rate,reward_oracle,rounds,u,"
      "v_scale=1"},
     plain<make_loe2d>},
    {{"lagrange", "LagrangeCBwLC: a bandit against Hedge over the costs",
      "budget,cost_oracle,delta=0.05,dual=hedge|fixed_share,eta=budget|margin|stop,eta_scale=1,"
      "gamma_scale=1,margin,null,oracle=vaw,rate,reward_oracle,rounds,share,u"},
     plain<make_lagrange>},
    {{"squarecbwk", "SquareCBwK: knapsacks by regression, prices by exponentiated gradient",
      "budget,cost_oracle,explore,gamma_scale=1,null,oracle=vaw,rate,reward_oracle,rounds,"
      "stages=1|2,u,z,z_scale=1"},
     plain<make_squarecbwk>},
    {{"stop", "any policy, and a null action once the budget could be passed", "at,null,of"},
     make_stop},
    {{"lincbwk", "linCBwK: confidence bounds, multiplicative weights times Z = OPT / B",
      "budget,delta=0.05,explore,null,oracle=ridge,radius_scale=1,rate,rounds,u,z"},
     plain<make_lincbwk>},
    {{"aupd", "AUPD: confidence bounds, a queue over b sqrt T; for small budgets",
      "budget,delta=0.05,null,oracle=ridge,radius_scale=1,rate,rounds,u,v_scale=1"},
     plain<make_aupd>},
    {{"pacer", "LinUCB with a price that follows a moving average; ParetoBandit's style",
      "alpha=0.5,budget,cap=5,ema=0.05,lam_scale=1,lr=0.05,oracle=ridge,rate,rounds,u"},
     plain<make_pacer>},
    {{"banditq", "BanditQ: Exp3 on rewards weighed by queues; no contexts",
      "budget,eta_scale=1,oracle,rate,rounds,targets,u,v_scale=1"},
     plain<make_banditq>},
    {{"optimistic3", "Optimistic3: mirror descent on confidence bounds, an optimistic dual",
      "alpha=2,budget,chances,classes=64,delta=0.05,law=observed|uniform,oracle=ridge,radius_scale="
      "1,rate,"
      "rounds,u"},
     plain<make_optimistic3>},
    {{"pgd", "PGD for small budgets: confidence bounds, a dual whose gradient steps double",
      "adaptive=1|0,budget,delta=0.05,margin_scale=1,oracle=ridge,radius_scale=1,rate,rounds,"
      "step_scale=1,threshold_scale=1,u"},
     plain<make_pgd>},
    {{"weakly_adaptive", "primal and dual of small regret on every interval; no margin is known",
      "budget,cost_oracle,delta=0.05,eta_scale=1,gamma_scale=1,oracle=vaw,rate,reward_oracle,"
      "rounds,u"},
     plain<make_weakly_adaptive>},
};

}  // namespace

std::vector<Entry> policies() { return entries_of(kTable); }

Result<std::unique_ptr<Policy>> make_policy(const Spec& spec, const Shape& shape, const Own& own) {
  if (auto ok = validate(shape); !ok) return Error{ok.error()};
  if (own.potential != nullptr && !uses_potential(spec)) {
    return Error{
        fmt::format("policy spec: potential \"{0}\" was brought, and {1} does not use it; "
                    "accepted: a spec with "
                    "pricer=own(name=\"{0}\"), as in ccb",
                    own.potential->name(), spec.str())};
  }
  return make_from(kTable, "policy spec", spec, shape, own);
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view spec, const Shape& shape,
                                            const Own& own) {
  auto parsed = parse_spec(spec, "policy spec");
  if (!parsed) return Error{parsed.error()};
  return make_policy(parsed.value(), shape, own);
}

}  // namespace rein
