#include "policy/confidence.h"

#include <fmt/format.h>

#include "estimate/optimistic.h"
#include "estimate/pair.h"

namespace rein {

Result<> fit_confidence(const Plan& plan, const PlanKeys& keys, Confidence& confidence) {
  const int dimension = plan.oracle->dimension();
  if (dimension == 0) {
    return Error{fmt::format(
        "policy spec: confidence bounds need an oracle with widths, and {} has none; accepted: "
        "ridge, vaw",
        keys.oracle.str())};
  }
  if (dynamic_cast<const Pair*>(&plain(*plan.oracle)) != nullptr && plan.terms.costs > 0) {
    return Error{fmt::format(
        "policy spec: confidence bounds of rewards and costs need one oracle with widths, and {} "
        "is two; accepted: ridge, vaw",
        keys.oracle.str())};
  }
  confidence.dimension = dimension;
  confidence.heads = std::max(plan.terms.costs, 1);
  return {};
}

}  // namespace rein
