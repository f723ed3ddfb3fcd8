// LogRows: the columns that off-policy evaluation needs, made from a Log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/log.h"
#include "rein/offpolicy.h"

namespace rein {

struct LogRows {
  std::vector<std::string> heads;    // reward, then the costs by name
  std::vector<std::string> actions;  // names, or numbers
  std::vector<std::int32_t> played;  // ids
  std::vector<double> propensity;    // empty: no row has a propensity
  std::vector<double> outcomes, context, weights;
  std::vector<std::uint8_t> offered;  // empty: every row offers every action
  std::vector<std::int32_t> unit;     // empty: rows are independent
  int features = 0;

  // Views of these columns; valid while this lives and does not change.
  OfflineRows view() const;
};

// Refuses a log in which only some rows have propensities; the message names a row without a
// propensity. The models of off-policy evaluation see the context only: features of actions become
// names (name_actions()), and logs that name_actions() refuses are refused here. Moves columns out
// of the log where possible, so that a large log is not stored twice.
Result<LogRows> log_rows(Log&& log);

// A column of a log without a role: the number of each row's value, from 0 on.
struct UnusedColumn {
  std::string name;
  std::vector<std::int32_t> values;
};
// Rows with the same value of such a column may belong together, as those of a user do (OfflineRows::unit). A question
// for people about the column by which rewards are alike; empty where there is none, and where units are known. Only
// the first rows of a long log are tested; `values` may end with them.
std::string question_about_columns(const OfflineRows& rows, const std::vector<UnusedColumn>& columns);
// The same for the columns of a CSV file. `rows` are those of the file, read with these options.
std::string question_about_columns(const std::string& path, const LogOptions& options,
                                   const OfflineRows& rows);

// What a log file contains, found without keeping its rows.
struct LogContents {
  std::int64_t rows = 0;  // that are kept
  LogNames names;         // actions in the order in which they appear
  int actions = 0;        // largest number of actions: of the names, or of any row
  std::vector<double> first_context;
  LogReport report;
};
// A .rlog whose actions have names is not read. Refuses sparse features of the context: their columns
// would depend on all rows.
Result<LogContents> log_contents(const std::string& path, const LogOptions& options = {});

// Rows `first` to `last` - 1 of a file, with ids by these names of actions.
Result<LogRows> read_log_part(const std::string& path, const LogOptions& options,
                              std::int64_t first, std::int64_t last,
                              const std::vector<std::string>& actions);

}  // namespace rein
