// The report page of `rein compare` and `rein verify`: one HTML file that works offline. It
// consists of the embedded page (web/report, joined by cmake/report.cmake) and the results as JSON.
// The page draws everything from that JSON; docs/report.md describes it.
#pragma once

#include <string>
#include <string_view>

namespace rein {

// The page, with the placeholder @DATA@ once for the JSON.
extern const std::string_view kReportTemplate;

// The page that shows `json`. "<", U+2028 and U+2029 are escaped, so no text inside the JSON can
// end its HTML element or start another. The meaning of the JSON is unchanged. REQUIRES: `json` is
// JSON, in UTF-8.
std::string report_page(std::string_view json);

}  // namespace rein
