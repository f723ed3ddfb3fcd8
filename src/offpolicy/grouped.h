// GroupedRows: a copy of a log in which the rows of a unit follow each other.
#pragma once

#include <vector>

#include "offpolicy/shards.h"
#include "rein/offpolicy.h"

namespace rein {

class GroupedRows {
 public:
  // Units keep the order of their first rows, and are numbered by it. REQUIRES rows with units.
  explicit GroupedRows(const OfflineRows& rows);
  OfflineRows view() const { return view_; }

 private:
  std::vector<std::int32_t> played_, unit_;
  std::vector<double> propensity_, outcomes_, context_, weights_;
  std::vector<std::uint8_t> offered_;
  OfflineRows view_;
};

// The range with whole units: it begins and ends where a unit begins.
ShardRange whole_units(const OfflineRows& rows, ShardRange range);

}  // namespace rein
