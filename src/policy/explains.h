// Explains: a policy that can say what its estimates are made of. Wrappers pass the question on.
#pragma once

#include <span>

#include "rein/explanation.h"
#include "rein/policy.h"

namespace rein {

class Explains {
 public:
  // Explains actions of a round that was decided: for each of `out` the action that it names. Fills all
  // but action, action_id and chosen. The estimates are made once for all of them. REQUIRES a decision of
  // this policy for this round.
  virtual Result<> explain(const Round& round, const Decision& decision,
                           std::span<Explanation> out) const = 0;

 protected:
  ~Explains() = default;
};

inline Result<> explain_by(const Policy& policy, const Round& round, const Decision& decision,
                           std::span<Explanation> out) {
  const auto* explains = dynamic_cast<const Explains*>(&policy);
  if (explains != nullptr) return explains->explain(round, decision, out);
  return Error{"explain: this policy has no oracle; accepted: policies that estimate"};
}

}  // namespace rein
