// Reports: a run, a comparison or a verification as one object of JSON (docs/json.md has the
// contract), as CSV, and as one HTML page that needs no other file.
#pragma once

#include <string>
#include <string_view>

#include "rein/compare.h"
#include "rein/json.h"
#include "rein/verify.h"

namespace rein {

// The `version` of the object. Keys may be added to a version, but not renamed or removed.
inline constexpr int kReportVersion = 3;

struct ReportWords {
  std::string title;
  std::string command;  // command line that makes this report again; may be empty
};

Json to_value(const RunResult& result, const ReportWords& words = {});  // without curves
Json to_value(const Comparison& comparison, const ReportWords& words = {});
Json to_value(const Verification& verification, const ReportWords& words = {});

template <class Of>
std::string to_json(const Of& of, const ReportWords& words = {}) {
  return to_value(of, words).str();
}

// A header line, then one row per policy and seed, with one column per number.
std::string to_csv(const RunResult& result);

// The report page with this object in it (docs/report.md). "<", U+2028 and U+2029 are escaped, so
// no text in the JSON can end its HTML element or start another. REQUIRES JSON in UTF-8.
std::string report_page(std::string_view json);

}  // namespace rein
