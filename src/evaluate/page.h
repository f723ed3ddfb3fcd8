// The report page of `rein compare` and `rein verify`: one HTML file that opens offline, made of
// the embedded page (web/report, joined by cmake/report.cmake) and the results as JSON. The page
// draws everything from that JSON; docs/report.md says what it expects and shows.
#pragma once

#include <string>
#include <string_view>

namespace rein {

// The page, with @DATA@ once where the JSON goes.
extern const std::string_view kReportTemplate;

// The page that shows `json`. No text inside the JSON can end the element that holds it or start
// another: "<" is written as an escape, and so are U+2028 and U+2029. The JSON keeps its meaning.
// REQUIRES: `json` is JSON, in UTF-8.
std::string report_page(std::string_view json);

}  // namespace rein
