// WhatifDriver: from the sums of each pass to the task of the next, and at the end to the curves. The
// passes before kValue are about the log, and are done once for all questions.
#pragma once

#include <vector>

#include "offpolicy/curve_points.h"
#include "offpolicy/whatif_task.h"
#include "rein/whatif_passes.h"

namespace rein {

class WhatifDriver {
 public:
  // `estimated`: the propensities come from the log itself. `units`: OfflineRows::unit, or empty.
  static Result<WhatifDriver> make(const LogOutline& log, const WhatifOptions& options,
                                   const std::vector<WhatifQuestion>& questions,
                                   std::span<const std::int32_t> units, bool estimated);

  const WhatifTask& task() const { return task_; }
  bool done() const { return task_.pass == WhatifPass::kDone; }
  // The sums of the next shard. False if they are not of this task.
  bool add(std::vector<double>&& sums);
  // After the last shard: makes the next task.
  Result<> end_pass();
  // REQUIRES done(). One curve per question.
  const std::vector<Whatif>& results() const { return out_; }
  // The mixtures of priced policies that a question's budgets are met by.
  const MixedClass& priced(std::size_t question) const { return asked_[2 * question].mixed; }

 private:
  // A class of policies that a question asks about: priced policies, or fixed mixes.
  struct Asked {
    PricedClass policies;
    std::vector<double> budgets;  // of the question, then those of the verdict (report_text.h)
    MixedClass mixed;
  };
  Result<> end_describe();
  void end_fit();
  void end_value();
  // Puts the next classes into the task of kSpread; false if all had their turn.
  bool next_classes();
  void end_spread();
  std::vector<CurveValue> logged() const;
  std::vector<int> unused_actions() const;
  std::vector<double> budgets_of(const WhatifQuestion& question, const PricedClass& policies) const;
  ClassCurve curve_of_class(const Asked& asked, std::span<const double> expected,
                            const ClassErrorSums& sums) const;
  Whatif finished(const WhatifQuestion& question, const PricedClass& priced, ClassCurve curve,
                  ClassCurve fixed) const;

  WhatifOptions options_;
  std::vector<WhatifQuestion> questions_;
  WhatifTask task_;
  Whatif about_log_;          // what all curves have in common
  std::vector<double> rounding_;  // per head: smaller values are 0, but for rounding
  std::vector<double> tails_;     // per head: of its outcomes (tail.h)
  std::vector<double> sums_;  // of the shards added in this pass
  std::vector<double> log_;   // of kDescribe
  ShardSamples samples_;      // of kDescribe
  CurveSupport support_;
  std::vector<std::size_t> grid_of_;  // of every class: priced and fixed, question by question
  std::vector<Asked> asked_;          // the same
  std::vector<Whatif> out_;
};

}  // namespace rein
