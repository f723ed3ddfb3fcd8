// The table of pricers. A new one is a pair of files and a line here.
#include "base/catalog.h"

#include "price/ema.h"
#include "price/exponential.h"
#include "price/fixed_share.h"
#include "price/gradient.h"
#include "price/hedge.h"
#include "price/none.h"
#include "price/options.h"
#include "price/own.h"
#include "price/predicted.h"
#include "price/quadratic.h"
#include "price/queue.h"

namespace rein {
namespace {

using Make = Result<std::unique_ptr<Pricer>> (*)(const Spec&, const Terms&, const Own&);

constexpr TableRow<Make> kTable[] = {
    {{"none", "no price: plain SquareCB"}, without_own<NoPrice::make>},
    {{"quadratic", "2 max(Q, 0) / V; for signed costs", options::kQuadratic},
     without_own<QuadraticPrice::make>},
    {{"exponential", "lambda exp(lambda Q), capped; for costs that are never negative",
      options::kExponential},
     without_own<ExponentialPrice::make>},
    {{"predicted", "what would spend what is left over what is left, rehearsed on recent rounds",
      options::kPredicted},
     without_own<PredictedPrice::make>},
    {{"hedge", "exponential weights over the costs and one that is always on budget",
      options::kHedge},
     without_own<HedgePrice::make>},
    {{"fixed_share", "hedge that forgives, for contexts that switch", options::kFixedShare},
     without_own<FixedSharePrice::make>},
    {{"queue", "Q / V with a queue that never goes below 0; AUPD's", options::kQueue},
     without_own<QueuePrice::make>},
    {{"ema", "up while a moving average of the cost is above the budget a round, down below",
      options::kEma},
     without_own<EmaPrice::make>},
    {{"gradient", "projected gradient descent with steps that double; pgd's", options::kGradient},
     without_own<GradientPrice::make>},
    {{"own", "the slope of a potential that the caller brings", options::kOwnPrice},
     OwnPrice::make},
};

}  // namespace

std::vector<Entry> pricers() { return entries_of(kTable); }

Result<std::unique_ptr<Pricer>> make_pricer(const Spec& spec, const Terms& terms, const Own& own) {
  return make_from(kTable, "pricer spec", spec, terms, own);
}

}  // namespace rein
