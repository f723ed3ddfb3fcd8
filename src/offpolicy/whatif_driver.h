// WhatifDriver: from the sums of each pass to the task of the next, and at the end to the curve.
#pragma once

#include <vector>

#include "offpolicy/priced_class.h"
#include "offpolicy/whatif_support.h"
#include "offpolicy/whatif_task.h"
#include "rein/whatif_passes.h"

namespace rein {

class WhatifDriver {
 public:
  // `estimated`: the propensities come from the log itself. `units`: OfflineRows::unit, or empty.
  static Result<WhatifDriver> make(const LogOutline& log, const WhatifOptions& options,
                                   std::span<const std::int32_t> units, bool estimated);

  const WhatifTask& task() const { return task_; }
  bool done() const { return task_.pass == WhatifPass::kDone; }
  // The sums of the next shard. False if they are not of this task.
  bool add(std::vector<double>&& sums);
  // After the last shard: makes the next task.
  Result<> end_pass();
  // REQUIRES done().
  const Whatif& result() const { return out_; }

 private:
  Result<> end_describe();
  void end_fit();
  void end_value();
  void end_spread();
  void add_logged();
  std::vector<int> unused_actions() const;
  // Those that were asked for, then those of the verdict (whatif_text.h).
  std::vector<double> budgets_of(const PricedClass& policies) const;

  WhatifOptions options_;
  WhatifTask task_;
  Whatif out_;
  std::vector<double> sums_;  // of the shards added in this pass
  std::vector<double> log_;   // of kDescribe
  ShardSamples samples_;      // of kDescribe
  CurveSupport support_;
  std::vector<PricedClass> classes_;  // priced policies, fixed mixes
};

}  // namespace rein
