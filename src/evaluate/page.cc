#include "evaluate/page.h"

#include "base/check.h"

namespace rein {
namespace {

constexpr std::string_view kSlot = "@DATA@";
// U+2028 and U+2029 differ only in their last UTF-8 byte: E2 80 A8 and E2 80 A9.
constexpr std::string_view kSeparators = "\xE2\x80";

// In JSON, "<" and the separators occur only inside strings, where a \u escape means the same.
std::string inert(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const bool separator = json.substr(i, 2) == kSeparators && i + 2 < json.size() &&
                           (json[i + 2] == '\xA8' || json[i + 2] == '\xA9');
    if (separator) {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (json[i] == '<') {
      out += "\\u003c";
    } else {
      out += json[i];
    }
  }
  return out;
}

}  // namespace

std::string report_page(std::string_view json) {
  const std::size_t slot = kReportTemplate.find(kSlot);
  check(slot != std::string_view::npos, "the report page has a place for its data");
  std::string page(kReportTemplate.substr(0, slot));
  page += inert(json);
  page += kReportTemplate.substr(slot + kSlot.size());
  return page;
}

}  // namespace rein
