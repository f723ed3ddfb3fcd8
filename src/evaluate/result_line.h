// One finished play as a line of JSON, and back. Every double is restored exactly. JSON has no form
// for numbers that are not finite: NaN is null, infinities are the texts "inf" and "-inf".
#pragma once

#include <string>
#include <string_view>

#include "evaluate/play.h"

namespace rein {

struct ResultLine {
  std::string policy;  // its spec, as printed
  Finished finished;   // the seed is in its totals
};

// Without the newline.
std::string write_result_line(const std::string& policy, const Finished& finished);
// Refuses a line that write_result_line() cannot have written, and says what is wrong.
Result<ResultLine> read_result_line(std::string_view line);

}  // namespace rein
