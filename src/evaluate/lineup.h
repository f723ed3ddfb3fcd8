// Lineup: the settings that a comparison runs.
#pragma once

#include <vector>

#include "rein/grid.h"
#include "rein/spec.h"

namespace rein {

// The index of every setting of every policy among the specs to run; no spec runs twice.
struct Lineup {
  struct Policy {
    Spec given;
    std::size_t at = 0;              // index into specs
    std::vector<std::size_t> tried;  // also indices: the settings of its grids
  };
  std::vector<Spec> specs;  // the given policies first, in their order
  std::vector<Policy> policies;
};
// REQUIRES grids that check_grids() accepts.
Lineup line_up(const std::vector<Spec>& policies, const std::vector<Grid>& grids);

}  // namespace rein
