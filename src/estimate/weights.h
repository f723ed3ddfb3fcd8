// HasWeights: an oracle whose estimates are sums of weights times numbers of the round, up to
// shrinking and clipping. Other oracles do not derive from HasWeights: dynamic_cast finds out.
#pragma once

#include <vector>

#include "estimate/feature_map.h"
#include "rein/explanation.h"
#include "rein/oracle.h"

namespace rein {

class HasWeights {
 public:
  // Writes the terms of a head of an action, in the order of phi. Weights are in the units of the
  // shape. Returns false if the head has no weights.
  virtual bool weights(const Round& round, int action, int head, std::vector<Term>& out) const = 0;

 protected:
  ~HasWeights() = default;
};

// The terms of a linear function: theta over phi(x, a), in units of the head.
void write_terms(const FeatureMap& map, const Round& round, int action,
                 std::span<const double> theta, double unit, std::vector<Term>& out);

// weights() of an oracle that may have none.
inline bool weights_of(const Oracle& oracle, const Round& round, int action, int head,
                       std::vector<Term>& out) {
  const auto* linear = dynamic_cast<const HasWeights*>(&oracle);
  return linear != nullptr && linear->weights(round, action, head, out);
}

}  // namespace rein
