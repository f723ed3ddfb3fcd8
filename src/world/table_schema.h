// Which columns of a table are the context, the rewards and the costs.
//
// The keys of the spec say it (TableKeys), the header of the file has the columns, and find_columns
// brings them together (TableSchema). Names are looked up like this:
//
//     context  every name is a column, or else a prefix: all columns that begin with it
//     reward   a prefix: r0, r1, ..., one column an action; or one name an action
//     cost     for every cost a prefix or one name an action, as for rewards; or the name of one
//              column, which then is the cost of every action
//
// Columns that nothing names are ignored, whatever is in them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/result.h"
#include "rein/shape.h"
#include "world/table_keys.h"

namespace rein {

// Where everything stands in a record, and what it may be.
struct TableSchema {
  int actions = 0;
  std::vector<int> context;   // columns
  std::vector<int> outcomes;  // outcomes[head * actions + action]: columns
  Range reward;
  std::vector<CostShape> costs;
  std::vector<std::string> header;  // all columns of the file

  int heads() const { return 1 + static_cast<int>(costs.size()); }
  const Range& range(int head) const { return head == 0 ? reward : costs[head - 1].range; }
  // Numbers in a row: the context, then the outcomes.
  std::size_t width() const { return context.size() + outcomes.size(); }
};

// The message of an error lacks the file and the line.
Result<TableSchema> find_columns(const TableKeys& keys, std::span<const std::string_view> header);

}  // namespace rein
