// Grid: values of one policy key to try, for tuning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rein/result.h"

namespace rein {

struct Grid {
  std::string key;
  std::vector<double> values;
};
// Limit on the values of one grid, and on the settings of one policy over all grids.
inline constexpr int kMaxGrid = 1024;
// Parses text such as "gamma_scale=0.25,0.5,1,2".
Result<Grid> parse_grid(std::string_view text);

}  // namespace rein
