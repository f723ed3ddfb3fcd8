// The report page of `rein compare` and `rein verify`: one HTML file that works offline. It
// consists of the embedded page (web/report, joined by cmake/report.cmake) and the results as JSON.
// The page draws everything from that JSON; docs/report.md describes it.
#pragma once

#include "rein/report.h"

namespace rein {

// The page, with the placeholder @DATA@ once for the JSON.
extern const std::string_view kReportTemplate;

}  // namespace rein
