// The keys of world `table` that name its columns and their ranges.
//
//     context, reward, cost    names of columns; table_schema.h says how they are looked up
//     names                    names of the costs
//     reward_range, cost_range [low, high]; cost_range also a list of those, one per cost
//     schema                   kinds of context columns: columns(country=category,age=number)
#pragma once

#include <string>
#include <vector>

#include "base/spec_reader.h"
#include "rein/schema.h"
#include "rein/shape.h"

namespace rein {

struct TableKeys {
  std::vector<std::string> context = {"x_"};
  std::vector<std::string> reward = {"r"};
  std::vector<std::vector<std::string>> costs = {{"c"}};
  bool context_given = false;  // a default name may be missing from the file
  bool cost_given = false;
  std::vector<std::string> names;  // one per cost; empty for the default names
  Range reward_range;
  // one range for all costs, or one range per cost; empty for [-1, 1]
  std::vector<Range> cost_ranges;
  std::vector<Column> schema;      // context columns that are not plain numbers
  bool operator==(const TableKeys&) const = default;
};

// Reads the keys. "age,income" and ["age","income"] are the same context. A cost is one text;
// several costs are a list of texts.
TableKeys read_table_keys(SpecReader& read);

}  // namespace rein
