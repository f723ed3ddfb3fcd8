// Tuning grids: which settings of a policy are tried, and which of them is best.
#pragma once

#include <vector>

#include "rein/compare.h"

namespace rein {

// The settings of one policy: the policy itself, then those that the grids add. `tried` holds
// indices into `specs` of the settings that the grids ask for. The default value of a key stands
// for the policy itself.
struct Settings {
  std::vector<Spec> specs;
  std::vector<std::size_t> tried;
};
Settings settings_of(const Spec& policy, const std::vector<Grid>& grids);

// Refuses grids that are empty or too large, and keys that no policy here takes.
Result<> check_grids(const std::vector<Spec>& asked, const std::vector<Grid>& grids);

// The best of some policies of a result, by the rule of CompareOptions::slack. `units` are the
// largest absolute values of the costs. REQUIRES at least one candidate.
std::size_t best_of(const RunResult& result, const std::vector<std::size_t>& candidates,
                    const std::vector<double>& units, double slack);

}  // namespace rein
