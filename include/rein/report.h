// Reports: a comparison or a verification as one JSON object (docs/json.md), and as one HTML page
// that needs no other file.
#pragma once

#include <string>
#include <string_view>

#include "rein/compare.h"
#include "rein/verify.h"

namespace rein {

struct ReportWords {
  std::string title;
  std::string command;  // command line that makes this report again; may be empty
};

std::string to_json(const Comparison& comparison, const ReportWords& words);
std::string to_json(const Verification& verification, const ReportWords& words);

// The report page with this object in it (docs/report.md). REQUIRES JSON in UTF-8.
std::string report_page(std::string_view json);

}  // namespace rein
