// Zone: the local time of a time zone, at any second.
//
// The system's files list when clocks moved and will move, up to 2037; after that they give a rule, as
// POSIX writes it: CET-1CEST,M3.5.0,M10.5.0/3. The date library reads the list and not the rule, so it
// takes every later summer for winter. Zone follows the rule from the last listed change on.
//
// Reads files of the system: nothing that is replayed may call it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rein/result.h"

namespace date {
class time_zone;
}

namespace rein {

// The rule of a POSIX time zone: an offset, and perhaps another offset for a part of each year.
class PosixRule {
 public:
  // Nothing if the text is not such a rule.
  static std::optional<PosixRule> parse(std::string_view text);
  // Seconds east of Greenwich.
  std::int64_t offset_at(std::int64_t second) const;

 private:
  // When clocks move: a day of the year in one of three forms, and the second of the local clock from
  // midnight, which may lie outside of the day.
  struct Moment {
    char form = 'M';              // M: month.week.weekday, J: day 1 to 365 without 29 February, N: day 0 to 365
    int month = 0, week = 0, day = 0;
    std::int64_t second = 2 * 3600;
    std::int64_t in_year(int year) const;  // seconds since 1970 of the local clock
  };
  friend class PosixText;

  std::int64_t standard_ = 0, summer_ = 0;  // seconds east of Greenwich
  bool has_summer_ = false;
  Moment begins_, ends_;
};

class Zone {
 public:
  // Refuses a zone that the system does not know.
  static Result<Zone> named(const std::string& name);
  // Seconds east of Greenwich.
  std::int64_t offset_at(std::int64_t second) const;
  // The second at which the local clock first shows this local second. If it jumps over it: the
  // second of the jump.
  std::int64_t first_second_of(std::int64_t local) const;

 private:
  const date::time_zone* listed_ = nullptr;
  std::optional<PosixRule> rule_;
};

}  // namespace rein
