// The points of a what-if curve: values, bands, and where there are none.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "offpolicy/priced_class.h"
#include "offpolicy/whatif_task.h"
#include "rein/whatif_passes.h"

namespace rein {

// Points after those of the budgets, for the verdict (report_text.h).
inline constexpr std::size_t kVerdictMarks = 4;

// Refuses options and questions that do not fit the log.
Result<void> check_whatif(const LogOutline& log, const WhatifOptions& options,
                          const std::vector<WhatifQuestion>& questions);

struct ClassCurve {
  std::vector<CurvePoint> points;
  std::vector<std::vector<double>> covariance;  // per head
};
// A class of policies at these budgets, which `mixes` meet, after the last pass.
struct CurveInput {
  const PricedClass& policies;
  std::span<const BudgetMix> mixes;
  std::span<const double> budgets;
  std::span<const double> expected;  // effective sizes (CurveSupport)
  std::size_t joint;                 // joint bands are over so many points, the first ones
  std::uint64_t seed;                // of the joint band
  bool has_floor;                    // whether the propensities of the log have one
  double floor_size;                 // CurvePoint::floor_size
  int choices;                       // of so many the mixtures are the best by the same rows
  ClassErrorSums sums;
  std::span<const double> rounding;  // per head: smaller values are 0, but for rounding
};
ClassCurve curve_of(const CurveInput& in);

// Takes away the bands of points that play an action whose propensities are wrong, and says so. The
// same for `marks`, points besides those of the curve. `calibration`: sums of overlap.h.
void drop_bands(std::span<const double> calibration, Whatif& out, std::vector<CurvePoint>& marks);
// Takes away what has no true interval because outcomes of a head, or of the cost that the budget is about,
// have too heavy a tail (tail.h; one index per head), and says so.
void drop_heavy(std::span<const double> tails, Whatif& out, std::vector<CurvePoint>& marks);

// CurveSupport: the effective sizes to expect of mixtures (propensity_model.h), from a sample of rows.
class CurveSupport {
 public:
  CurveSupport() = default;
  // `tail` is that of the whole log.
  CurveSupport(RowSample sample, const PropensityTail& tail);

  // One number per class and mixture, for a log of this many rows. Mixtures that are not possible
  // have 0.
  std::vector<std::vector<double>> expected_sizes(const ActionModels& models,
                                                  std::span<const PricedGrid> grids,
                                                  std::span<const MixedClass> classes,
                                                  double rows) const;

 private:
  RowSample sample_;
  PropensityModel model_;
};

// Adds the sensitivity bands of out.lambda to the points that have a band: what they would earn and
// spend if propensities are wrong. `mixed`: what meets the budgets of the points. REQUIRES propensities,
// and a task with models and grids. False if `go_on` returned false, which stops the work.
bool add_sensitivity(const OfflineRows& rows, const WhatifTask& task, const MixedClass& mixed,
                     int threads, const std::function<bool()>& go_on, Whatif& out);

}  // namespace rein
