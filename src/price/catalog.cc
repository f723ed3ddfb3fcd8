// The table of pricers. A new one is a pair of files and a line here.
#include "base/catalog.h"

#include "price/ema.h"
#include "price/exponential.h"
#include "price/fixed_share.h"
#include "price/gradient.h"
#include "price/hedge.h"
#include "price/none.h"
#include "price/predicted.h"
#include "price/quadratic.h"
#include "price/queue.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<Pricer>> (*)(const Spec&, const Terms&);

constexpr TableRow<Make> kTable[] = {
    {{"none", "no price: plain SquareCB", ""}, NoPrice::make},
    {{"quadratic", "2 max(Q, 0) / V; for signed costs", "queue=positive|reflect|literal,v"},
     QuadraticPrice::make},
    {{"exponential", "lambda exp(lambda Q), capped; for costs that are never negative",
      "cap,lambda"},
     ExponentialPrice::make},
    {{"predicted", "what would spend what is left over what is left, rehearsed on recent rounds",
      "payback=3,signed=0|1"},
     PredictedPrice::make},
    {{"hedge", "exponential weights over the costs and one that is always on budget", "reach,step"},
     HedgePrice::make},
    {{"fixed_share", "hedge that forgives, for contexts that switch", "reach,share,step"},
     FixedSharePrice::make},
    {{"queue", "Q / V with a queue that never goes below 0; AUPD's", "v"}, QueuePrice::make},
    {{"ema", "up while a moving average of the cost is above the budget a round, down below",
      "cap=5,lr=0.05,scale=1,weight=0.05"},
     EmaPrice::make},
    {{"gradient", "projected gradient descent with steps that double; pgd's",
      "adaptive=1|0,delta=0.05,margin_scale=1,step_scale=1,threshold_scale=1"},
     GradientPrice::make},
};

}  // namespace

std::vector<Entry> pricers() { return entries_of(kTable); }

Result<std::unique_ptr<Pricer>> make_pricer(const Spec& spec, const Terms& terms) {
  return make_from(kTable, "pricer spec", spec, terms);
}

}  // namespace rein
