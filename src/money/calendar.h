// Calendar windows: the day, week or month that contains a second, in a time zone. Reads the time
// zone database of the system, so nothing that is replayed may call it.
#pragma once

#include "money/clock.h"

namespace rein {

// Refuses a zone that the system does not know.
Result<> check_zone(const std::string& zone);
// The window that contains `now` (UTC seconds). Its number follows that of `before`, the window
// that was open last; nullptr: the window is the first and has number 0. Weeks begin on Monday.
Result<CalendarWindow> calendar_window(const Window& window, std::int64_t now,
                                       const CalendarWindow* before);

}  // namespace rein
