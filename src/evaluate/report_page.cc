// Puts the data into the page that was embedded at build time.
#include <string>

#include "base/check.h"
#include "rein/report.h"

namespace rein {

extern const std::string_view report_template;  // web/report/report.html

std::string report_page(std::string_view json) {
  constexpr std::string_view kMarker = "/*REIN_DATA*/null";
  const std::size_t at = report_template.find(kMarker);
  check(at != std::string_view::npos, "the page of web/report has its marker");
  std::string page(report_template.substr(0, at));
  // A < stands only inside texts of the JSON, where this is the same; in a page it could end the
  // script.
  for (char c : json) {
    if (c == '<') {
      page += "\\u003c";
    } else {
      page += c;
    }
  }
  page += report_template.substr(at + kMarker.size());
  return page;
}

}  // namespace rein
