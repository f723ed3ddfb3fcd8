// Lesson: one outcome, as the parts of a policy learn it.
#pragma once

#include <span>

#include "rein/policy.h"

namespace rein {

struct Lesson {
  const Round& round;
  const Decision& decision;
  const Outcome& outcome;
  std::span<const double> heads;  // what the oracle learns, in the units of the shape
  Costs queued;                   // what joins the queues, in units: costs less their rate
  bool fresh;                     // nothing was learned since the decision
};

}  // namespace rein
