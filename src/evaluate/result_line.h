// One finished play as a line of JSON, and back. Numbers come back as the same doubles; JSON has no
// word for those that are not finite: NaN is null, an infinity is the text "inf" or "-inf".
#pragma once

#include <string>
#include <string_view>

#include "evaluate/play.h"

namespace rein {

struct ResultLine {
  std::string policy;  // its spec, as it prints
  Finished finished;   // its seed is in the totals
};

// Without the newline.
std::string write_result_line(const std::string& policy, const Finished& finished);
// Says what is wrong with a line that no write_result_line made.
Result<ResultLine> read_result_line(std::string_view line);

}  // namespace rein
