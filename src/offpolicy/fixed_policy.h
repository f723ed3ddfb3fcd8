// Policies that ignore the context, by their text: uniform, action(NAME), mix(NAME=SHARE,...).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rein/offpolicy.h"

namespace rein {

// Probabilities, rows x actions. No value: the text is not one of a fixed policy. `names` may be
// empty: actions are then 0, 1, 2, ...
Result<std::optional<std::vector<double>>> fixed_policy(const OfflineRows& rows,
                                                        const std::string& text,
                                                        const std::vector<std::string>& names);

}  // namespace rein
