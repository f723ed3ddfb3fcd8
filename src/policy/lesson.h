// Lesson: an outcome, or a part of one, as the parts of a policy learn it.
#pragma once

#include <algorithm>
#include <span>

#include "base/came.h"
#include "rein/policy.h"
#include "rein/pricer.h"

namespace rein {

struct Lesson {
  const Round& round;
  const Decision& decision;
  const Outcome& outcome;
  std::span<const double> heads;  // what the oracle learns, in the units of the shape
  Costs queued;                   // what joins the queues, in units (Paid::queued)
  bool fresh;                     // nothing was learned since the decision
  // The parts that came now (base/came.h). In `outcome`, which has all costs, and in `heads` the
  // others are NaN.
  Came came;
  bool first;         // the round counts now: nothing of it came before
  bool warm = false;  // a logged round, decided by somebody else; nothing is counted. If no part
                      // came, it is only rehearsed

  bool has(int head) const { return (came >> head & 1U) != 0; }
  bool is_whole() const { return came == all_came(static_cast<int>(heads.size()) - 1); }
  // Whether every part is exactly 0.
  bool is_nothing() const {
    return std::ranges::all_of(heads, [](double y) { return y == 0.0; });
  }
  Paid paid() const { return {queued, came >> 1, first}; }
};

}  // namespace rein
