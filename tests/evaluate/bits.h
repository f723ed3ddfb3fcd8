// Every number of a result except the time it took, as bits.
#pragma once

#include <bit>
#include <vector>

#include "rein/run.h"

namespace rein {

inline std::vector<std::uint64_t> bits_of(const RunResult& result) {
  std::vector<std::uint64_t> bits;
  const auto add = [&](double x) { bits.push_back(std::bit_cast<std::uint64_t>(x)); };
  for (const PolicyRun& run : result.policies) {
    for (const Totals& t : run.totals) {
      bits.push_back(t.seed);
      for (double x :
           {t.reward, t.regret, t.regret_long_term, t.regret_stationary, t.regret_average,
            t.u_bound, t.reward_at_stop, t.explored, t.oracle_error, t.u, t.premise}) {
        add(x);
      }
      for (const Costs* costs : {&t.ccv, &t.ccv_max, &t.ccv_average, &t.ccv_positive, &t.ccv_share,
                                 &t.queue_rms, &t.spend, &t.excess, &t.bounds.ccv}) {
        for (double x : *costs) add(x);
      }
      add(t.bounds.regret.value_or(0.0));
      for (const BudgetTotals& budget : t.budgets) {
        each_field(budget, [&](std::string_view, double x) { add(x); });
      }
    }
    for (const Curve& curve : run.curves) {
      for (const auto* line : {&curve.reward, &curve.regret, &curve.explored}) {
        for (double x : *line) add(x);
      }
      for (const auto* lines : {&curve.ccv, &curve.price}) {
        for (const auto& line : *lines) {
          for (double x : line) add(x);
        }
      }
    }
  }
  return bits;
}

}  // namespace rein
