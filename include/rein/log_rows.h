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
  std::vector<double> propensity;    // empty: no row has one
  std::vector<double> outcomes, context, weights;
  std::vector<std::uint8_t> offered;  // empty: every row offers every action
  int features = 0;

  // Views of these columns; valid while this lives and does not change.
  OfflineRows view() const;
};

// Refuses a log in which only some rows have propensities (it says which row lacks one), and one whose
// actions have features of their own: the models of off-policy evaluation see the context only.
// Takes what it can from the log, so that a large one is not stored twice.
Result<LogRows> log_rows(Log&& log);

}  // namespace rein
