// The points of a what-if curve: values, bands, and where there are none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/priced_class.h"
#include "offpolicy/whatif_task.h"
#include "rein/whatif_passes.h"

namespace rein {

// Refuses options that do not fit the log.
Result<void> check_whatif(const LogOutline& log, const WhatifOptions& options);

struct ClassCurve {
  std::vector<CurvePoint> points;
  std::vector<std::vector<double>> covariance;  // per head
};
// The points of one class of policies at these budgets, which `mixes` meet and whose effective sizes
// are `expected` (whatif_support.h), from the sums of the last pass. Joint bands are over the first
// `count` points. `floor`: whether the propensities of the log have one;
// `floor_size`: CurvePoint::floor_size.
ClassCurve curve_of(const PricedClass& policies, std::span<const BudgetMix> mixes,
                    std::span<const double> budgets, std::span<const double> expected,
                    std::size_t count, std::uint64_t seed, bool floor, double floor_size,
                    std::span<const double> sums);

// The calibration of the propensities, from the sums of the first pass (LogSums).
Overlap calibration_of(std::span<const double> sums, const WhatifTask& task);
// Takes away the bands of points that play an action whose propensities are wrong, and says so. The
// same for `marks`, points besides those of the curve.
void drop_bands(const Overlap& overlap, Whatif& out, std::vector<CurvePoint>& marks);

}  // namespace rein
