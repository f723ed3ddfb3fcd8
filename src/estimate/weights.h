// Weights of oracles whose estimates are sums of weights times numbers of the round, up to shrinking and
// clipping (OracleAbilities::weights).
#pragma once

#include <vector>

#include "estimate/abilities.h"
#include "estimate/feature_map.h"
#include "rein/explanation.h"
#include "rein/oracle.h"

namespace rein {

// The terms of a linear function: theta over phi(x, a), in units of the head.
void write_terms(const FeatureMap& map, const Round& round, int action,
                 std::span<const double> theta, double unit, std::vector<Term>& out);

// weights() of an oracle that may have none.
inline bool weights_of(const Oracle& oracle, const Round& round, int action, int head,
                       std::vector<Term>& out) {
  return oracle.abilities().weights(round, action, head, out);
}

}  // namespace rein
