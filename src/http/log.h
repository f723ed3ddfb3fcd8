// Log: JSON lines on standard error. Any thread.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "rein/json.h"

namespace rein::serve {

// {"at":"2026-01-31T09:30:00.123Z","level":LEVEL,"event":EVENT,...}
// Never waits for a reader: a line that a pipe has no room for is left out, and the next one that is
// written says how many were, as "lines_left_out".
void log(std::string_view level, std::string_view event, const Json::Object& more = {});

}  // namespace rein::serve
