#include "rein/priced_policy.h"

#include <fmt/format.h>

#include "offpolicy/whole_models.h"

namespace rein {
namespace {

SpecValue number_list(const std::vector<double>& numbers) {
  SpecValue::List list;
  for (const double number : numbers) list.push_back({.is = number});
  return {.is = std::move(list)};
}

}  // namespace

Result<PricedPolicy> priced_policy(const OfflineRows& rows, const PricedPolicyOptions& options) {
  auto fitted = fit_priced(rows, options);
  if (!fitted) return fitted.failure();
  const PricedModels& found = fitted.value();
  const std::vector<double>& weights = found.models.weights();
  PricedPolicy out{.spec = Spec("priced"), .price = found.price, .values = found.values};
  std::vector<double> low(at(rows.heads) - 1, 0.0), high(at(rows.heads) - 1, 0.0);
  low[at(options.cost) - 1] = found.low;
  high[at(options.cost) - 1] = found.high;
  out.spec.set("weights", number_list(weights));
  out.spec.set("prices", number_list(low));
  if (found.share > 0.0) {
    out.spec.set("next", number_list(high));
    out.spec.set("share", {.is = found.share});
  }
  if (out.spec.str().size() > at(kMaxSpecBytes)) {
    return Error{fmt::format("priced policy: {} numbers are too many for a spec of {} bytes; accepted: "
                             "fewer actions or columns",
                             weights.size(), kMaxSpecBytes)};
  }
  return out;
}

}  // namespace rein
