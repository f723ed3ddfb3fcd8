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

// Of a pricer that uses nothing of the caller's own.
template <auto make>
Result<std::unique_ptr<Pricer>> plain(const Spec& spec, const Terms& terms, const Own&) {
  return make(spec, terms);
}

constexpr TableRow<Make> kTable[] = {
    {{"none", "no price: plain SquareCB"}, plain<NoPrice::make>},
    {{"quadratic", "2 max(Q, 0) / V; for signed costs", options::kQuadratic},
     plain<QuadraticPrice::make>},
    {{"exponential", "lambda exp(lambda Q), capped; for costs that are never negative",
      options::kExponential},
     plain<ExponentialPrice::make>},
    {{"predicted", "what would spend what is left over what is left, rehearsed on recent rounds",
      options::kPredicted},
     plain<PredictedPrice::make>},
    {{"hedge", "exponential weights over the costs and one that is always on budget",
      options::kHedge},
     plain<HedgePrice::make>},
    {{"fixed_share", "hedge that forgives, for contexts that switch", options::kFixedShare},
     plain<FixedSharePrice::make>},
    {{"queue", "Q / V with a queue that never goes below 0; AUPD's", options::kQueue},
     plain<QueuePrice::make>},
    {{"ema", "up while a moving average of the cost is above the budget a round, down below",
      options::kEma},
     plain<EmaPrice::make>},
    {{"gradient", "projected gradient descent with steps that double; pgd's", options::kGradient},
     plain<GradientPrice::make>},
    {{"own", "the slope of a potential that the caller brings", options::kOwnPrice},
     OwnPrice::make},
};

}  // namespace

std::vector<Entry> pricers() { return entries_of(kTable); }

Result<std::unique_ptr<Pricer>> make_pricer(const Spec& spec, const Terms& terms, const Own& own) {
  return make_from(kTable, "pricer spec", spec, terms, own);
}

}  // namespace rein
