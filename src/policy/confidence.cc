#include "policy/confidence.h"

#include <fmt/format.h>

namespace rein {

Result<> fit_confidence(const Plan& plan, const PlanKeys& keys, Confidence& confidence) {
  const int dimension = plan.oracle->dimension();
  if (dimension == 0) {
    return Error{fmt::format(
        "policy spec: confidence bounds need an oracle with widths, and {} has none; accepted: "
        "ridge, vaw",
        keys.oracle.str())};
  }
  confidence.dimension = dimension;
  confidence.heads = std::max(plan.terms.costs, 1);
  return {};
}

}  // namespace rein
