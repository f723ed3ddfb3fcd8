// The header of a log in CSV: which column is what.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/log.h"

namespace rein {

struct CsvHeader {
  static constexpr int kNone = -1;
  std::size_t fields = 0;
  int action = kNone, propensity = kNone, reward = kNone, weight = kNone, time = kNone, id = kNone;
  int unit = kNone;  // column of the unit; may be a column with another role too
  int actions = kNone, probabilities = kNone, state = kNone;  // columns that `rein export` writes
  std::vector<int> context, costs;
  std::vector<std::string> context_names, cost_names;
  std::vector<std::string> unused;
};

// Finds columns by the names of the options; if the header has none of these names, by the names of
// `rein export`. The error says what the header has, without the path.
Result<CsvHeader> read_header(std::span<const std::string_view> fields, const LogOptions& options);

}  // namespace rein
