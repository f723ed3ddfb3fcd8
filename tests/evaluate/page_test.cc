// The page around the data. What the page shows is tested in a browser: tests/web/report_test.py.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "base/json.h"
#include "evaluate/report.h"

namespace rein {
namespace {

constexpr std::string_view kOpening = R"(<script type="application/json" id="data">)";

// The text inside the element.
std::string data_of(const std::string& page) {
  const std::size_t start = page.find(kOpening) + kOpening.size();
  return page.substr(start, page.find("</script>", start) - start);
}

std::string text_in(const std::string& json) {
  simdjson::dom::parser parser;
  const simdjson::dom::element parsed = parser.parse(json);
  return std::string(std::string_view(parsed["title"]));
}

std::string json_with(const std::string& title) {
  JsonWriter json;
  json.begin_object().key("title").value(title).end_object();
  return json.str();
}

TEST(ReportPage, TheTemplateHasOnePlaceForData) {
  const std::string page(kReportTemplate);
  EXPECT_NE(page.find("@DATA@"), std::string::npos);
  EXPECT_EQ(page.find("@DATA@"), page.rfind("@DATA@"));
  for (const char* slot : {"@STYLE@", "@SCRIPT@", "@LIBRARY@", "@LICENCE@"}) {
    EXPECT_EQ(page.find(slot), std::string::npos) << slot;
  }
}

TEST(ReportPage, ThePageLoadsNothing) {
  const std::string page = report_page("{}");
  for (const char* word : {" src=", "@import", "url(http", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(ReportPage, TextCannotEndItsElement) {
  const std::string title =
      "</script><script>alert(1)</script><!-- \xE2\x80\xA8 \xE2\x80\xA9 @DATA@";
  const std::string data = data_of(report_page(json_with(title)));
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(data.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(data.find("\xE2\x80\xA9"), std::string::npos);
  EXPECT_EQ(text_in(data), title);
}

TEST(ReportPage, OtherBytesNearSeparatorsStay) {
  const std::string title =
      "\xE2\x80\x93 \xE2\x82\xAC \xE2\x80\xA6";  // a dash, a euro, an ellipsis
  EXPECT_EQ(data_of(report_page(json_with(title))), json_with(title));
}

RC_GTEST_PROP(ReportPage, AnyTextComesBack, ()) {
  std::string title;
  for (int c : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 127))) {
    title += static_cast<char>(c);
  }
  const std::string data = data_of(report_page(json_with(title)));
  RC_ASSERT(std::count(data.begin(), data.end(), '<') == 0);
  RC_ASSERT(text_in(data) == title);
}

}  // namespace
}  // namespace rein
