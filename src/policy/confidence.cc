#include "policy/confidence.h"

#include <fmt/format.h>

#include "base/units.h"
#include "estimate/feature_map.h"
#include "estimate/optimistic.h"
#include "estimate/pair.h"

namespace rein {
namespace {

// Half of a range, in units: what is bounded by it deviates from its mean as a Gaussian of this
// standard deviation would, or less.
double half_range(const Range& range) { return 0.5 * (range.high - range.low) / unit_of(range); }

// What the ellipsoid is made of. Only ridge and vaw say how large their vectors are and how many
// sets of parameters there are; others count as one set of vectors of size at most 1.
void fit_ellipsoid(const Plan& plan, const Spec& oracle, Confidence& confidence) {
  SpecReader read(oracle, "oracle spec");  // the oracle was made: its keys are right
  const double reg = read.number("reg", 1.0);
  double norm_squared = 1.0, sets = 1.0;
  if (oracle.name == "ridge" || oracle.name == "vaw") {
    const FeatureMap map(read, plan.shape);
    norm_squared = map.norm_squared();
    sets = map.parameter_sets();
  }
  confidence.bounds = plan.shape.heads() * sets;
  confidence.centre = std::sqrt(reg) * std::max(1.0, plan.shape.theta);
  confidence.growth = norm_squared / (reg * confidence.dimension);
  confidence.noise = half_range(plan.shape.reward);
  for (const CostShape& cost : plan.shape.costs) {
    confidence.noise = std::max(confidence.noise, half_range(cost.range));
  }
}

}  // namespace

Result<> fit_confidence(const Plan& plan, const PlanKeys& keys, Confidence& confidence) {
  const int dimension = plan.oracle->dimension();
  if (dimension == 0) {
    return Error{fmt::format(
        "policy spec: confidence bounds need an oracle with widths, and {} has none; accepted: "
        "ridge, vaw",
        keys.oracle.str())};
  }
  if (dynamic_cast<const OraclePair*>(&plain(*plan.oracle)) != nullptr && plan.terms.costs > 0) {
    return Error{fmt::format(
        "policy spec: confidence bounds of rewards and costs need one oracle with widths, and {} "
        "is two; accepted: ridge, vaw",
        keys.oracle.str())};
  }
  confidence.dimension = dimension;
  confidence.heads = std::max(plan.terms.costs, 1);
  if (confidence.kind == Radius::kEllipsoid) fit_ellipsoid(plan, keys.oracle, confidence);
  return {};
}

}  // namespace rein
