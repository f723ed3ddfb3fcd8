// One finished play as a line of JSON, and back. Every double is restored exactly. JSON has no form
// for numbers that are not finite: NaN is null, infinities are the texts "inf" and "-inf".
#pragma once

#include <string>
#include <string_view>

#include "evaluate/play.h"

namespace rein {

struct PlayLine {
  std::string policy;  // its spec, as printed
  PlayResult result;   // the seed is in its totals
};

// Without the newline.
std::string write_play_line(const std::string& policy, const PlayResult& result);
// Refuses a line that write_play_line() cannot have written, and says what is wrong.
Result<PlayLine> read_play_line(std::string_view line);

}  // namespace rein
