// Finds the columns of a table for the context, the rewards and the costs.
//
// The spec has the keys (TableKeys) and the file has the header. find_columns() combines them
// (TableSchema). Names are looked up as follows:
//
//     context  every name is a column, or else a prefix: all columns that begin with it
//     reward   a prefix: r0, r1, ..., one column per action; or one name per action
//     cost     for every cost a prefix or one name per action, as for rewards; or the name of one
//              column, which is then the cost of every action
//
// Other columns are ignored, whatever they hold.
//
// A context column is a number as it stands in the file, unless key schema gives it another kind.
// If it does so for any column, the context is what rein/schema.h makes of the row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/result.h"
#include "rein/schema.h"
#include "rein/shape.h"
#include "world/table_keys.h"

namespace rein {

// The columns of a record, and the ranges of their values.
struct TableSchema {
  int actions = 0;
  std::vector<int> context;   // columns
  std::vector<int> outcomes;  // outcomes[head * actions + action]: columns
  Range reward;
  std::vector<CostShape> costs;
  std::vector<std::string> header;  // all columns of the file
  std::optional<Schema> encoder;    // of the context, in its order; none if all are plain numbers
  std::vector<char> encoded;        // for each context column: key schema names it

  int heads() const { return 1 + static_cast<int>(costs.size()); }
  const Range& range(int head) const { return head == 0 ? reward : costs[head - 1].range; }
  // Numbers in the context of a round.
  int context_size() const { return encoder ? encoder->size() : static_cast<int>(context.size()); }
  // Cells in a row: the context, then the outcomes.
  std::size_t width() const { return context.size() + outcomes.size(); }
};

// The error message does not include the file and the line.
Result<TableSchema> find_columns(const TableKeys& given, std::span<const std::string_view> header);

}  // namespace rein
