#include "evaluate/lineup.h"

#include <algorithm>

#include "evaluate/grid.h"

namespace rein {
namespace {

// The index of a spec; adds it if it is new.
std::size_t index_of(const Spec& spec, std::vector<Spec>& specs) {
  const std::string name = spec.str();
  const auto same = std::find_if(specs.begin(), specs.end(),
                                 [&](const Spec& other) { return other.str() == name; });
  const auto at = static_cast<std::size_t>(same - specs.begin());
  if (same == specs.end()) specs.push_back(spec);
  return at;
}

}  // namespace

Lineup line_up(const std::vector<Spec>& policies, const std::vector<Grid>& grids) {
  Lineup lineup;
  for (const Spec& policy : policies) {
    lineup.policies.push_back({policy, index_of(policy, lineup.specs), {}});
  }
  for (Lineup::Policy& policy : lineup.policies) {
    const Settings settings = settings_of(policy.given, grids);
    for (std::size_t tried : settings.tried) {
      policy.tried.push_back(index_of(settings.specs[tried], lineup.specs));
    }
  }
  return lineup;
}

}  // namespace rein
