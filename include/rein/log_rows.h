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
