// The rows that rein assign reads and writes: a CSV file whose header has the columns of a model's
// context, and the same file with an action for every row.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rein/assign.h"

namespace rein::app {

struct Customers {
  std::vector<std::string> header;
  std::vector<std::string> texts;  // all cells, row by row
  std::int64_t rows = 0;
  std::vector<std::string> unused;  // columns that the model has no use for
  // The context, in one of two forms: cells of the schema, column by column, or numbers.
  std::vector<std::vector<Cell>> cells;
  std::vector<double> numbers;

  const std::string& text(std::int64_t row, std::size_t column) const {
    return texts[static_cast<std::size_t>(row) * header.size() + column];
  }
  // Refers to this. `values` holds the columns.
  RoundBatch rounds(const Engine& engine, std::vector<ColumnValues>& values,
                    std::vector<std::int32_t>& ids) const;
};

// Throws UsageError if the header lacks a column of the model, or a cell is no value of its kind.
Customers read_customers(const std::string& path, const Engine& engine);

// The columns of the file that are none of those of a log, then a (the action), p (its probability),
// estimated_reward and estimated_NAME per cost. With r and c_NAME added later it is a log.
std::string assigned_csv(const Customers& customers, const Engine& engine, const Assignment& found);

}  // namespace rein::app
