// The keys of world `table` that say which columns are what, and what values they may hold.
//
//     context, reward, cost    names of columns; see table_schema.h for how they are looked up
//     names                    what the costs are called
//     reward_range, cost_range [low, high]; cost_range also a list of those, one a cost
#pragma once

#include <string>
#include <vector>

#include "base/spec_reader.h"
#include "rein/shape.h"

namespace rein {

struct TableKeys {
  std::vector<std::string> context = {"x_"};
  std::vector<std::string> reward = {"r"};
  std::vector<std::vector<std::string>> costs = {{"c"}};
  bool context_given = false;  // what is not given may be absent from the file
  bool cost_given = false;
  std::vector<std::string> names;  // one a cost; empty for the usual ones
  Range reward_range;
  std::vector<Range> cost_ranges;  // one for all, or one a cost; empty for [-1, 1]
  bool operator==(const TableKeys&) const = default;
};

// Asks the reader for them. "age,income" and ["age","income"] are the same context; a cost is
// one text, several costs are a list of texts.
TableKeys read_table_keys(SpecReader& read);

}  // namespace rein
