// Reports: a comparison or a verification as one JSON object (docs/json.md), and as one HTML page
// that opens anywhere, with nothing to load.
#pragma once

#include <string>
#include <string_view>

#include "rein/compare.h"
#include "rein/verify.h"

namespace rein {

struct ReportWords {
  std::string title;
  std::string command;  // that makes this report again, where there is one
};

std::string to_json(const Comparison& comparison, const ReportWords& words);
std::string to_json(const Verification& verification, const ReportWords& words);

// The page of web/report with this object in it (docs/report.md). REQUIRES JSON, in UTF-8.
std::string report_page(std::string_view json);

}  // namespace rein
