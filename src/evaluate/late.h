// Late: outcomes that arrive a fixed number of rounds after their decision, in order.
//
// Until then the decision is open. Its predicted cost is reserved, as in the engine, so later
// decisions are priced as if it were spent.
#pragma once

#include <cstdint>
#include <vector>

#include "rein/policy.h"
#include "rein/record.h"

namespace rein {

class Late {
 public:
  // `delay` 0: every outcome is learned at once.
  Late(const Policy& policy, int delay);

  // What open decisions may still cost, in the units of the shape; empty: nothing.
  std::span<const double> reserved() const;
  // How many decisions are open.
  std::int64_t open() const { return static_cast<std::int64_t>(used_); }
  // Adds one outcome. The policy learns the outcome that is due.
  Result<> learn(Policy& policy, const Round& round, const Decision& decision,
                 const Outcome& outcome);

 private:
  struct Open {
    StoredRound round;
    Decision decision;
    Outcome outcome;
  };
  void reserve(const Open& open, double sign);

  std::vector<Open> ring_;  // the last `delay` decisions
  std::size_t at_ = 0;
  std::size_t used_ = 0;
  Costs reserved_;
};

}  // namespace rein
