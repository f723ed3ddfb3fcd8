// The effective sizes to expect of the mixtures of a what-if curve (support.h), from a sample of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/priced_sums.h"
#include "offpolicy/support.h"

namespace rein {

class CurveSupport {
 public:
  CurveSupport() = default;
  // `tail` is that of the whole log.
  CurveSupport(const GridSample& sample, const FitFrame& frame, const PropensityTail& tail);

  // One number per mixture, for a log of this many rows. Mixtures that are not possible have 0.
  std::vector<double> expected_sizes(const ActionModels& models, const PricedGrid& grid,
                                     std::span<const BudgetMix> mixes, double rows) const;

 private:
  OfflineRows rows() const;

  int actions_ = 0;
  int features_ = 0;
  std::int64_t step_ = 1;
  std::vector<double> context_, propensity_, weight_;
  std::vector<std::int32_t> played_;
  std::vector<std::uint8_t> offered_;
  PropensityModel model_;
};

}  // namespace rein
